import {
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsCommandOutput,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import { afterEach, expect, test, vi } from 'vitest';
import type { Event } from '../../src/eventbridge/event-deliveries.ts';
import { eventsService, eventsTarget } from '../../src/eventbridge/eventbridge-operations.ts';
import type { Policy } from '../../src/iam/policy.ts';
import { createPrincipal, createPrincipalLookup } from '../../src/testing/create-principal.ts';
import { credentials, serveControl } from '../../src/testing/serve-control.ts';

const arn = 'arn:aws:events:local-1:000000000000:event-bus/video-service';
const entry: PutEventsRequestEntry = {
  EventBusName: 'video-service',
  Source: 'video-service',
  DetailType: 'video.completed',
  Detail: '{"ulid":"01"}',
  Time: new Date('2026-11-22T10:00:00Z'),
  Resources: ['arn:aws:s3:::media'],
};

let close = async (): Promise<void> => {};
afterEach(() => close());

async function open(policy?: Policy) {
  const publish = vi.fn(async (_bus: string, _event: Event) => {});
  const states = { isEnabled: () => true, setEnabled: async () => {} };
  const buses = [{ name: 'video-service', arn }];
  const service = eventsService({ rules: [], states, buses, region: 'local-1', accountId: '000000000000', publish });
  const region = 'local-1';
  const find = createPrincipalLookup(createPrincipal(credentials, policy));
  const served = await serveControl({ region, find, targets: new Map([[eventsTarget, service]]) });
  const client = new EventBridgeClient(served.client);
  close = async () => {
    client.destroy();
    await served.stop();
  };
  const put = (...entries: PutEventsRequestEntry[]): Promise<PutEventsCommandOutput> =>
    client.send(new PutEventsCommand({ Entries: entries }));
  return { put, publish };
}

test('an event is published on its bus with the fields of AWS', async () => {
  const { put, publish } = await open();
  const { FailedEntryCount, Entries } = await put(entry, { ...entry, EventBusName: arn });
  expect(FailedEntryCount).toBe(0);
  expect(publish.mock.calls.map(([bus]) => bus)).toEqual(['video-service', 'video-service']);
  expect(publish.mock.calls[0]![1]).toEqual({
    version: '0',
    id: Entries![0]!.EventId,
    'detail-type': 'video.completed',
    source: 'video-service',
    account: '000000000000',
    time: '2026-11-22T10:00:00Z',
    region: 'local-1',
    resources: ['arn:aws:s3:::media'],
    detail: { ulid: '01' },
  });
});

test('an entry that is not valid fails alone', async () => {
  const { put, publish } = await open();
  const { FailedEntryCount, Entries } = await put(
    entry,
    { ...entry, Detail: '{' },
    { ...entry, Detail: '[]' },
    { ...entry, DetailType: undefined },
    { ...entry, Source: 'aws.s3' },
    { ...entry, EventBusName: 'other' },
  );
  expect([FailedEntryCount, publish.mock.calls.length]).toEqual([5, 1]);
  expect(Entries!.map(({ EventId, ErrorCode }) => ErrorCode ?? (EventId && 'published'))).toEqual([
    'published',
    'MalformedDetail',
    'MalformedDetail',
    'InvalidArgument',
    'NotAuthorizedForSourceException',
    'InvalidArgument',
  ]);
});

test('an event that cannot be stored is an entry that may be sent again', async () => {
  const { put, publish } = await open();
  publish.mockRejectedValueOnce(new Error('disk'));
  expect(await put(entry)).toMatchObject({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure' }] });
});

test('a request has 1 to 10 entries with at most 1 MiB together', async () => {
  const { put, publish } = await open();
  await expect(put()).rejects.toMatchObject({ name: 'ValidationException' });
  await expect(put(...Array(11).fill(entry))).rejects.toMatchObject({ name: 'ValidationException' });
  const sized = (bytes: number) => ({
    Source: 's',
    DetailType: 't',
    Detail: JSON.stringify({ a: 'x'.repeat(bytes - 8) }),
  });
  await expect(put(sized(600_000), sized(448_573))).rejects.toThrow('over the limit');
  expect(publish).not.toHaveBeenCalled();
  expect(await put(sized(600_000), sized(448_572))).toMatchObject({ FailedEntryCount: 0 });
  expect(publish.mock.calls[0]![0]).toBe('default');
});

test('a caller without events:PutEvents on the bus is refused', async () => {
  const { put, publish } = await open(({ action, resource }) => action === 'events:PutEvents' && resource === arn);
  await put(entry);
  await expect(put(entry, { ...entry, EventBusName: undefined })).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: expect.stringContaining('event-bus/default'),
  });
  expect(publish).toHaveBeenCalledTimes(1);
});
