import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler as workers } from '../../../functions/api/workers.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { randomBase62 } from '../../../functions/common/secret.ts';
import { handler as enqueue } from '../../../functions/pipeline/enqueue.ts';
import { storePoolToken } from '../../../functions/table/nodes/pool-node.ts';
import type { SyncRequest } from '../../../shared/protocol/jobs.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
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
    ...['BatchGetCommand', 'TransactWriteCommand'],
    ...['QueryCommand', 'QueryCommand', 'UpdateCommand'],
  ]);
  expect(lease).toMatchObject({ kind: 'encode-video' });
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
