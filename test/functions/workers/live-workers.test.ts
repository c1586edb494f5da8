import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/queue.lambda.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { reportRunning } from '../../../functions/queue/report.ts';
import { recordIdleWorker } from '../../../functions/table/nodes/worker-presence.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue, queueProbe } from '../../fixtures/records/queue-probe.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
type Person = Awaited<ReturnType<typeof createPerson>>;
let admin: Person;
let ada: Person;
let minutes = 0;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  passSeconds(300 * ++minutes);
  await clearQueue();
  [admin, ada] = [await createPerson({ isAdmin: true }), await createPerson()];
});
afterEach(() => {
  vi.useRealTimers();
});

const read = (path: `/${string}`, { token }: Person = admin) => callHandler(handler, `GET ${path}`, { token });
const workers = async () => (await read('/api/workers')).json.data;

test.each(['/api/workers', '/api/queue'] as const)('%s is for administrators', async (path) => {
  expect(await read(path, ada)).toMatchObject({ status: 403 });
  expect(await callHandler(handler, `GET ${path}`, { token: `pool.${'x'.repeat(43)}` })).toMatchObject({ status: 401 });
});

test('a busy worker is listed with its job and node, an idle one without a job, and a silent one is not listed', async () => {
  const node = await storeNode({ workers: 2 });
  const { videoUlid } = await queueProbe(ada.user);
  const caller = { node: node.ulid, worker: 'busy', epoch: 'e1' };
  const lease = (await leaseNext(caller))!;
  await recordIdleWorker('pool', 'idle');
  expect(await workers()).toEqual([
    {
      worker: 'busy',
      node_type: 'node',
      node: { id: node.id, ulid: node.ulid, name: node.name },
      last_call_at: expect.any(String),
      job: {
        video: videoUlid,
        kind: 'probe',
        plan: 0,
        group: 0,
        index: 0,
        attempt: 1,
        progress: 0,
        started_at: expect.any(String),
      },
    },
    { worker: 'idle', node_type: 'pool', node: null, last_call_at: expect.any(String), job: null },
  ]);
  passSeconds(40);
  expect(await reportRunning(caller, { lease: lease.id, progress: 0 })).toBe(true);
  const [busy] = await workers();
  expect(Date.now() - Date.parse(busy.last_call_at)).toBeLessThan(40_000);
  passSeconds(151);
  expect(await workers()).toEqual([]);
});

test('the queue has the jobs of each user by kind, and the wait of the job that is next', async () => {
  const bob = await createPerson();
  await queueProbe(ada.user);
  await queueProbe(ada.user);
  passSeconds(12);
  await queueProbe(bob.user);
  const { data } = (await read('/api/queue')).json;
  expect(data).toMatchObject({
    jobs: 3,
    capped: false,
    oldest_age_seconds: 12,
    kinds: [{ kind: 'probe', jobs: 3 }],
    users: expect.arrayContaining([
      expect.objectContaining({
        user: expect.objectContaining({ ulid: ada.user.ulid }),
        jobs: 2,
        next_age_seconds: 12,
      }),
      expect.objectContaining({ user: expect.objectContaining({ ulid: bob.user.ulid }), jobs: 1, next_age_seconds: 0 }),
    ]),
  });
  await clearQueue();
  expect((await read('/api/queue')).json.data).toEqual({
    jobs: 0,
    capped: false,
    oldest_age_seconds: null,
    kinds: [],
    users: [],
  });
});
