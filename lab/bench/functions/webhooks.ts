import { setTimeout as sleep } from 'node:timers/promises';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { mapBounded } from '../../../functions/common/concurrency.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { addDelivery } from '../../../functions/table/webhooks/webhook-deliveries.ts';
import { createWebhook, type Webhook } from '../../../functions/table/webhooks/webhook-table.ts';
import { handler as send } from '../../../functions/webhooks/send.lambda.ts';
import { createPerson } from '../../../test/fixtures/create-person.ts';
import { functionEnvironment } from '../../../test/fixtures/function-environment.ts';
import { openTable } from '../../../test/fixtures/open-table.ts';
import { openReceiver, type ReceivedRequest } from '../../../test/fixtures/servers/open-receiver.ts';
import { type Row, row } from '../row.ts';

const waiting = 10_000;
const measured = 50;
const longestMilliseconds = 60_000;

/** How long an event takes to its receiver, alone and while 10,000 events wait for an endpoint that never answers. */
export async function measureWebhooks(): Promise<Row[]> {
  const environment = { ALLOW_LOOPBACK_WEBHOOKS: 'on', PARAMETER_PREFIX: '/video-service/bench' };
  Object.assign(process.env, functionEnvironment, environment);
  const parameters = mockClient(SSMClient);
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'a key' } });
  const closeTable = await openTable();
  const [live, dead] = [await openReceiver(), await openReceiver(() => undefined)];
  try {
    const [fast, slow] = [await store(live.url), await store(dead.url)];
    const alone = await slowest(fast, live.requests);
    await mapBounded(Array.from({ length: waiting }), () => addEvent(slow), 50);
    // They end with the table, in an error.
    void Promise.allSettled(Array.from({ length: 4 }, () => send({ webhooks: [slow.ulid] })));
    const beside = await slowest(fast, live.requests);
    const name = `an event while ${waiting} wait for a dead endpoint, slowest of ${measured}`;
    return [row({ name, unit: 'ms', value: beside, baseline: alone, atMost: alone + 1000 })];
  } finally {
    await Promise.all([live.close(), dead.close()]);
    await closeTable();
    parameters.restore();
  }
}

async function store(url: string): Promise<Webhook> {
  const { user } = await createPerson();
  return createWebhook({ name: 'n', url, events: ['*'], active: true, externalUserId: null }, user);
}

async function addEvent(webhook: Webhook): Promise<string> {
  const ulid = newUlid();
  const type = 'video.completed';
  await addDelivery(webhook, { ulid, type, body: JSON.stringify({ type, timestamp: 'x', data: { ulid } }) });
  return ulid;
}

/** Milliseconds from storing an event to its arrival, the longest. */
async function slowest(webhook: Webhook, requests: readonly ReceivedRequest[]): Promise<number> {
  let longest = 0;
  for (let count = 0; count < measured; count++) {
    const startedAt = Date.now();
    const ulid = await addEvent(webhook);
    await send({ webhooks: [webhook.ulid] });
    longest = Math.max(longest, (await arrivalOf(ulid, requests)) - startedAt);
  }
  return longest;
}

/** When an event arrived. While as many senders run as may run, one of them sends it, after `send` has returned. */
async function arrivalOf(ulid: string, requests: readonly ReceivedRequest[]): Promise<number> {
  const end = Date.now() + longestMilliseconds;
  for (;;) {
    const arrived = requests.find(({ headers }) => headers['webhook-id'] === ulid);
    if (arrived) return arrived.atMilliseconds;
    if (Date.now() > end) throw new Error('An event did not arrive.');
    await sleep(2);
  }
}
