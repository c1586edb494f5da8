import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { log } from '../../../functions/common/log.ts';
import { authenticateNode } from '../../../functions/queue/authenticate-node.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { hasEarlyWorker } from '../../../functions/table/nodes/early-worker-token.ts';
import { recordIdleWorker } from '../../../functions/table/nodes/worker-presence.ts';
import { startEarlyWorker } from '../../../functions/workers/start-early-worker.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue, queueProbe } from '../../fixtures/records/queue-probe.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const lambda = mockClient(LambdaClient);
const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
let minutes = 0;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  passSeconds(300 * ++minutes);
  vi.stubEnv('EARLY_WORKER_FUNCTION', 'video-service-test-early-worker');
  vi.stubEnv('API_URL', 'https://api.example.com');
  vi.stubEnv('STAGE', 'test');
  lambda.reset();
  await clearQueue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const invocations = () => lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input);
const payload = () => JSON.parse(String(invocations().at(-1)!.Payload));

test('a new video invokes the function once, with a token of its own', async () => {
  const ulid = newUlid();
  await Promise.all([startEarlyWorker(ulid), startEarlyWorker(ulid)]);
  await startEarlyWorker(ulid);
  expect(invocations()).toEqual([
    { FunctionName: 'video-service-test-early-worker', InvocationType: 'Event', Payload: expect.any(String) },
  ]);
  expect(payload()).toEqual({
    syncUrl: 'https://api.example.com/api/workers/sync',
    token: expect.stringMatching(/^early\.[A-Za-z0-9_-]{32,128}$/),
    workerName: `early-${ulid}`,
  });
  expect(await authenticateNode(`Bearer ${payload().token}`)).toMatchObject({ urgentOnly: true });
  await startEarlyWorker(newUlid());
  expect(invocations()).toHaveLength(2);
  expect([await hasEarlyWorker(ulid), await hasEarlyWorker(newUlid())]).toEqual([true, false]);
  passSeconds(16 * 60);
  expect(await hasEarlyWorker(ulid)).toBe(false);
});

test('a stage without the function invokes nothing', async () => {
  vi.stubEnv('EARLY_WORKER_FUNCTION', '');
  await startEarlyWorker(newUlid());
  expect(invocations()).toEqual([]);
});

test('no function is invoked while a worker without a job calls, until its calls become rare', async () => {
  const call = () => recordIdleWorker('pool', `w${minutes}`);
  await call();
  passSeconds(1);
  await call();
  passSeconds(1.9);
  await startEarlyWorker(newUlid());
  expect(invocations()).toEqual([]);
  passSeconds(0.2);
  await startEarlyWorker(newUlid());
  expect(invocations()).toHaveLength(1);
  // The next call is not recorded, since the one after it follows much later.
  passSeconds(15);
  await call();
  await startEarlyWorker(newUlid());
  expect(invocations()).toHaveLength(2);
});

test('a worker that has taken a job since, and the early worker of another video, do not count', async () => {
  await queueProbe((await createPerson()).user);
  await recordIdleWorker('pool', 'busy');
  expect(await leaseNext({ node: 'pool', worker: 'busy', epoch: 'e' })).toBeDefined();
  await recordIdleWorker('pool', `early-${newUlid()}`);
  await startEarlyWorker(newUlid());
  expect(invocations()).toHaveLength(1);
});

test('a failed invocation is logged and counted, and not thrown', async () => {
  lambda.on(InvokeCommand).rejects(new Error('throttled'));
  const warn = vi.spyOn(log, 'warn').mockImplementation(() => {});
  const info = vi.spyOn(log, 'info').mockImplementation(() => {});
  await startEarlyWorker(newUlid());
  expect(warn).toHaveBeenCalledWith('the early worker was not invoked', expect.anything());
  expect(info).toHaveBeenCalledWith('metric', expect.objectContaining({ EarlyWorkersNotInvoked: 1 }));
  vi.restoreAllMocks();
});
