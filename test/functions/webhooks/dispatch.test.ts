import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { DynamoDBRecord } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryItems } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { failNode } from '../../../functions/table/nodes/node-health.ts';
import type { User } from '../../../functions/table/records.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { moveOutput, moveStream } from '../../../functions/table/videos/video-table.ts';
import { claimDue } from '../../../functions/table/webhooks/delivery-attempts.ts';
import { listDeliveries } from '../../../functions/table/webhooks/webhook-deliveries.ts';
import { createWebhook } from '../../../functions/table/webhooks/webhook-table.ts';
import { handler } from '../../../functions/webhooks/dispatch.lambda.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { buildOutput, buildStream, storeVideo } from '../../fixtures/records/store-video.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
const lambda = mockClient(LambdaClient);
const bus = mockClient(EventBridgeClient);
/** what the bus answers instead of taking the events, in order */
let refusals: (() => object)[] = [];
beforeEach(() => {
  Object.assign(process.env, { SEND_FUNCTION: 'send', EVENT_BUS_NAME: 'video-service-test' });
  lambda.reset();
  lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
  bus.reset();
  refusals = [];
  bus.on(PutEventsCommand).callsFake(({ Entries }: { Entries: object[] }) => {
    const refusal = refusals.shift();
    if (refusal) return refusal();
    return { Entries: Entries.map(() => ({ EventId: 'x' })) };
  });
});
afterEach(() => vi.useRealTimers());
afterAll(() => {
  lambda.restore();
  bus.restore();
});

const store = (owner: User, changes = {}) =>
  createWebhook(
    { name: 'n', url: 'https://shop.example.com/', events: ['*'], active: true, externalUserId: null, ...changes },
    owner,
  );
const started = (): { webhooks: string[] }[] =>
  lambda.commandCalls(InvokeCommand).map(({ args }) => JSON.parse(String(args[0].input.Payload)));
const onBus = () => bus.commandCalls(PutEventsCommand).flatMap(({ args }) => args[0].input.Entries ?? []);
const everything = { status: undefined, type: undefined, fromMilliseconds: undefined, toMilliseconds: undefined };
const deliveriesOf = async ({ ulid }: { ulid: string }) =>
  (await listDeliveries(ulid, everything, { cursor: undefined, limit: 100 })).deliveries;

/** The events of an owner as the stream passes them on. */
async function recordsOf(ownerUlid: string | null): Promise<DynamoDBRecord[]> {
  const items = await queryItems(keys.event(ownerUlid, '').pk);
  return items.map(({ pk, sk }) => ({
    eventName: 'INSERT',
    dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, SequenceNumber: `at-${sk}` },
  }));
}

/** A user with a video whose output and stream have completed. */
async function storeEvents() {
  const { user } = await createPerson();
  const stream = buildStream({ status: 'running' });
  const output = buildOutput({ status: 'running', streams: [stream.ulid] });
  const { video } = await storeVideo(user, { streams: [stream], outputs: [output] });
  await moveOutput(video, output.ulid, 'completed');
  await moveStream(video, stream.ulid, 'completed');
  return { user, video, stream, output, records: await recordsOf(user.ulid) };
}

test('each webhook gets the events that it has subscribed to, and one sender', async () => {
  const { user, video, stream, output, records } = await storeEvents();
  const all = await store(user);
  const streams = await store(user, { events: ['stream.completed'], externalUserId: 'crm-1' });
  const none = await store(user, { externalUserId: 'crm-2' });
  const foreign = await store((await createPerson()).user);
  expect(await handler({ Records: records })).toEqual({ batchItemFailures: [] });
  expect((await deliveriesOf(all)).map(({ type }) => type)).toEqual(['stream.completed', 'output.completed']);
  const [sent] = await deliveriesOf(streams);
  expect(JSON.parse(sent!.body)).toMatchObject({
    type: 'stream.completed',
    data: { ulid: stream.ulid, video_ulid: video.ulid, externalUserId: 'crm-1', sequence: expect.any(Number) },
  });
  expect([await deliveriesOf(none), await deliveriesOf(foreign)]).toEqual([[], []]);
  const [sender, ...others] = started();
  expect(sender!.webhooks.toSorted()).toEqual([all, streams].map(({ ulid }) => ulid).toSorted());
  expect(others).toEqual([]);
  expect(onBus().map(({ DetailType, Source }) => [DetailType, Source])).toEqual([
    ['output.completed', 'video-service'],
    ['stream.completed', 'video-service'],
  ]);
  expect(JSON.parse(onBus()[0]!.Detail!)).toMatchObject({
    id: records[0]!.dynamodb!.Keys!.sk!.S,
    type: 'output.completed',
    data: { ulid: output.ulid, status: 'completed' },
  });
});

test('a batch that comes twice has one delivery of each event, and one event on the bus', async () => {
  const { user, records } = await storeEvents();
  const webhook = await store(user);
  await handler({ Records: records });
  const before = await deliveriesOf(webhook);
  await handler({ Records: records });
  expect(await deliveriesOf(webhook)).toEqual(before);
  expect(onBus()).toHaveLength(2);
  expect([await claimDue(webhook.ulid), await claimDue(webhook.ulid)]).toHaveLength(2);
  expect(await claimDue(webhook.ulid)).toBeUndefined();
});

test('an event that the bus refuses is dispatched again, with the same delivery', async () => {
  const { user, records } = await storeEvents();
  const webhook = await store(user);
  refusals = [
    () => ({ Entries: [{ EventId: 'x' }, { ErrorCode: 'ThrottlingException' }] }),
    () => {
      throw new Error('no answer');
    },
  ];
  const failed = { itemIdentifier: records[1]!.dynamodb!.SequenceNumber };
  expect(await handler({ Records: records })).toEqual({ batchItemFailures: [failed] });
  const before = await deliveriesOf(webhook);
  expect(before).toHaveLength(2);
  expect(await handler({ Records: records.slice(1) })).toEqual({ batchItemFailures: [failed] });
  expect(await handler({ Records: records.slice(1) })).toEqual({ batchItemFailures: [] });
  expect(await deliveriesOf(webhook)).toEqual(before);
  expect(onBus().map(({ DetailType }) => DetailType)).toEqual([
    'output.completed',
    'stream.completed',
    'stream.completed',
    'stream.completed',
  ]);
});

test('a deleted video is shown as it was', async () => {
  const { user } = await createPerson();
  const webhook = await store(user);
  const { video } = await storeVideo(user);
  await hideVideo(video, user);
  await handler({ Records: await recordsOf(user.ulid) });
  const [sent] = await deliveriesOf(webhook);
  expect(JSON.parse(sent!.body).data).toMatchObject({ ulid: video.ulid, name: video.name, streams: [], outputs: [] });
});

test('events of nodes reach the webhooks of administrators only', async () => {
  const [admin, other] = [await createPerson({ isAdmin: true }), await createPerson()];
  const [forAdmin, videosOnly, forOther] = [
    await store(admin.user),
    await store(admin.user, { events: ['video.failed'] }),
    await store(other.user),
  ];
  const node = await storeNode();
  await failNode(node, 'No answer.');
  await handler({ Records: await recordsOf(null) });
  const [sent] = await deliveriesOf(forAdmin);
  expect(JSON.parse(sent!.body).data).toMatchObject({ ulid: node.ulid, status: 'failed', last_error: 'No answer.' });
  expect([await deliveriesOf(videosOnly), await deliveriesOf(forOther)]).toEqual([[], []]);
});

test('the minute schedule passes on what the stream has lost, and starts senders of due attempts', async () => {
  const { user } = await storeEvents();
  const webhook = await store(user);
  await handler({});
  expect(await deliveriesOf(webhook)).toEqual([]);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
  await handler({});
  expect(await deliveriesOf(webhook)).toHaveLength(2);
  lambda.resetHistory();
  await handler({});
  expect(started().flatMap(({ webhooks }) => webhooks)).toContain(webhook.ulid);
  expect(await deliveriesOf(webhook)).toHaveLength(2);
});
