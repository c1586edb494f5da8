import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler as workers } from '../../../functions/api/workers.lambda.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { randomBase62 } from '../../../functions/common/secret.ts';
import { handler as enqueue } from '../../../functions/pipeline/enqueue.lambda.ts';
import { parseLease } from '../../../functions/queue/granted-lease.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { storePoolToken } from '../../../functions/table/nodes/pool-node.ts';
import { queuedUsers } from '../../../functions/table/queue/queue-table.ts';
import type { SyncRequest } from '../../../shared/protocol/jobs.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue, queueProbe } from '../../fixtures/records/queue-probe.ts';
import { createChunkResult, storeChunkedVideo } from '../../fixtures/records/store-chunked-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
mockClient(SFNClient);

const secret = randomBase62(43);
const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
let minutes = 0;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  // Long enough for those who queued jobs before to leave.
  passSeconds(60 * ++minutes);
  await clearQueue();
  await storePoolToken(secret);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The calls of the table that some work makes. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  const send = vi.spyOn(documents, 'send');
  await work();
  const calls = send.mock.calls.map(([command]) => command.constructor.name);
  send.mockRestore();
  return calls;
}

let workerCount = 0;
const sync = (report: Partial<SyncRequest>, token = secret) =>
  callHandler(workers, 'POST /api/workers/sync', {
    token: `pool.${token}`,
    body: { worker: 'w1', epoch: 'e1', version: '1', ...report },
  });

test('a chunk after the first is queued by one read and one write', async () => {
  const { ulid } = await storeChunkedVideo((await createPerson()).user, 3);
  const queue = (index: number) =>
    enqueue({ taskToken: `t${index}`, videoUlid: ulid, planNumber: 1, kind: 'encode-video', group: 0, index });
  await queue(0);
  expect(await callsOf(() => queue(1))).toEqual(['BatchGetCommand', 'PutCommand']);
  passSeconds(6);
  expect(await callsOf(() => queue(2))).toEqual(['BatchGetCommand', 'GetCommand', 'UpdateCommand', 'PutCommand']);
});

test('the call that reports a chunk and takes the next one makes three reads and two writes', async () => {
  const { ulid } = await storeChunkedVideo((await createPerson()).user, 4);
  for (let index = 0; index < 4; index++) {
    await enqueue({ taskToken: `t${index}`, videoUlid: ulid, planNumber: 1, kind: 'encode-video', group: 0, index });
  }
  let { lease } = (await sync({})).json;
  const next = async () => {
    const { json } = await sync({ done: { lease: lease.id, result: createChunkResult(lease) } });
    lease = json.lease;
  };
  await next();
  expect(await callsOf(next)).toEqual([
    'BatchGetCommand',
    'TransactWriteCommand',
    'QueryCommand',
    'QueryCommand',
    'UpdateCommand',
  ]);
  expect(lease).toMatchObject({ kind: 'encode-video' });
});

/** How often a worker that asks for a job reads the queue, and whose job it gets. */
async function leaseWithReads(): Promise<{ reads: number; videoUlid: string | undefined }> {
  const send = vi.spyOn(documents, 'send');
  const lease = await leaseNext({ node: 'pool', worker: `w${++workerCount}`, epoch: 'e' });
  const inputs = send.mock.calls.map(([command]) => command.input as { IndexName?: string });
  send.mockRestore();
  return {
    reads: inputs.filter(({ IndexName }) => IndexName === 'queue').length,
    videoUlid: lease && parseLease(lease.id)?.videoUlid,
  };
}

test('an idle queue is read once, and an urgent job is leased with the reads of any other', async () => {
  expect(await leaseWithReads()).toEqual({ reads: 1, videoUlid: undefined });
  const { user } = await createPerson();
  const { videoUlid } = await queueProbe(user, { isUrgent: true });
  const other = await queueProbe(user);
  expect(await leaseWithReads()).toEqual({ reads: 2, videoUlid });
  // The list that was read for a further urgent job has the next one.
  expect(await leaseWithReads()).toEqual({ reads: 2, videoUlid: other.videoUlid });
});

test('a worker reads at most once a second whether a user has urgent jobs still', async () => {
  const users = [(await createPerson()).user, (await createPerson()).user];
  for (const user of users) await queueProbe(user, { isUrgent: true });
  for (const _ of users) await leaseWithReads();
  for (let n = 0; n < 6; n++) await queueProbe(users[n % 2]!);
  expect((await leaseWithReads()).reads).toBe(3);
  expect((await leaseWithReads()).reads).toBe(2);
  passSeconds(3);
  expect((await leaseWithReads()).reads).toBe(3);
  expect((await queuedUsers(10)).map(({ urgentAtMilliseconds }) => urgentAtMilliseconds)).toEqual([
    undefined,
    undefined,
  ]);
  expect((await leaseWithReads()).reads).toBe(2);
});

test("the pool's token is read every few seconds, and at once when a worker comes with another one", async () => {
  expect((await sync({})).status).toBe(200);
  expect(await callsOf(() => sync({}))).not.toContain('GetCommand');
  const replaced = randomBase62(43);
  await storePoolToken(replaced);
  expect((await sync({}, replaced)).status).toBe(200);
  expect((await sync({})).status).toBe(401);
  await storePoolToken(secret);
  passSeconds(6);
  expect((await sync({}, replaced)).status).toBe(401);
});
