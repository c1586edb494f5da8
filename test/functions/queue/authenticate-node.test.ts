import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/workers.lambda.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { possibleStragglers } from '../../../functions/table/jobs/lease-lists.ts';
import { createEarlyWorkerToken } from '../../../functions/table/nodes/early-worker-token.ts';
import type { User } from '../../../functions/table/records.ts';
import { durationName } from '../../../functions/table/writes/progress-writes.ts';
import { progressItem } from '../../../functions/table/writes/video-writes.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue, probeResult, queueProbe } from '../../fixtures/records/queue-probe.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
mockClient(SFNClient);

const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
let minutes = 0;
let user: User;
let token: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  passSeconds(60 * ++minutes);
  vi.stubEnv('IDLE_SYNC_MS', '1000');
  vi.stubEnv('BUSY_SYNC_MS', '10000');
  await clearQueue();
  user = (await createPerson()).user;
  token = (await createEarlyWorkerToken(newUlid()))!;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const sync = async (body: object = {}, by = token) =>
  callHandler(handler, 'POST /api/workers/sync', {
    token: by,
    body: { worker: 'w1', epoch: 'e1', version: '1', ...body },
  });

test('an early worker gets urgent jobs of all users, and no others', async () => {
  await queueProbe(user, { isUrgent: false });
  const { json } = await sync({ hello: true });
  expect(json).toEqual({ nextMs: 250 });
  const urgent = await queueProbe((await createPerson()).user, { isUrgent: true });
  const { lease } = (await sync()).json;
  expect(lease).toMatchObject({ kind: 'probe' });
  expect(await findJob(urgent)).toMatchObject({ status: 'LEASED', leaseHolder: 'pool' });
  const next = await sync({ done: { lease: lease.id, result: probeResult } });
  expect(next.json).toEqual({ acknowledged: lease.id, nextMs: 250 });
});

test('it takes an urgent job that other pool workers leave to nodes', async () => {
  const { ulid } = await storeNode({ workers: 2, lastSeenAt: new Date().toISOString() });
  await queueProbe(user, { isUrgent: true });
  expect((await sync()).json.lease).toBeDefined();
  await write({ delete: keys.node(ulid) });
});

test('it gets no second lease for a job that takes another worker far too long', async () => {
  const id = await queueProbe(user, { isUrgent: true, estimateSeconds: 1 });
  const { lease } = (await sync()).json;
  expect(lease).toBeDefined();
  const took = Object.fromEntries([[durationName({ kind: 'probe', tookSeconds: 1 }), 5]]);
  await write({ put: { ...progressItem(id.videoUlid, 1, []), ...took } });
  passSeconds(40);
  await sync({ running: { lease: lease.id, progress: 0.1 } });
  expect(await possibleStragglers(10)).toHaveLength(1);
  const other = (await createEarlyWorkerToken(newUlid()))!;
  expect((await sync({}, other)).json.lease).toBeUndefined();
});

test('the token gives the worker its name: it cannot act as another worker of the pool', async () => {
  const id = await queueProbe(user, { isUrgent: true });
  const { lease } = (await sync({ worker: 'first', epoch: 'e' })).json;
  const other = (await createEarlyWorkerToken(newUlid()))!;
  expect((await sync({ worker: 'first', epoch: 'other', hello: true }, other)).status).toBe(200);
  expect((await sync({ worker: 'first', epoch: 'e', again: true }, other)).json.lease).toBeUndefined();
  expect(await findJob(id)).toMatchObject({ status: 'LEASED', lease: lease.id });
  expect((await findJob(id))?.worker).toMatch(/^early-/);
});

test('the token is for two workers, each with its job', async () => {
  const ids = [await queueProbe(user, { isUrgent: true }), await queueProbe(user, { isUrgent: true })];
  const ulid = newUlid();
  const early = (await createEarlyWorkerToken(ulid))!;
  const names = [`early-${ulid}`, `early-${ulid}-2`];
  for (const worker of names) await sync({ worker, epoch: worker, hello: true }, early);
  const holders = await Promise.all(ids.map(async (id) => (await findJob(id))?.worker));
  expect(holders.toSorted()).toEqual(names);
});

test('the token is valid for 16 minutes', async () => {
  passSeconds(16 * 60 - 1);
  expect((await sync()).status).toBe(200);
  passSeconds(2);
  expect((await sync()).status).toBe(401);
});

test.each([
  ['another secret', (valid: string) => `${valid.slice(0, -1)}${valid.endsWith('a') ? 'b' : 'a'}`],
  ['the secret of another video', (valid: string) => valid.replace(/[0-9A-Z]{26}/, newUlid())],
  ['no video', () => `early.${'x'.repeat(43)}`],
  ['the token as that of the pool', (valid: string) => valid.replace('early.', 'pool.')],
])('%s is refused', async (_, change) => {
  expect((await sync({}, change(token))).status).toBe(401);
});

test('a video has one token a day', async () => {
  const ulid = newUlid();
  const made = await Promise.all([1, 2, 3].map(() => createEarlyWorkerToken(ulid)));
  expect(made.filter((one) => one !== undefined)).toHaveLength(1);
});
