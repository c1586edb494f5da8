import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runEarlyWorker } from '../../../encoder-task/lambda/early-worker.ts';
import type { Helper } from '../../../encoder-task/lambda/helper-process.ts';
import { createLog } from '../../../encoder-task/runtime/log.ts';
import type { Settings } from '../../../encoder-task/worker/settings.ts';
import type { SyncResponse } from '../../../shared/protocol/jobs.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { limits } from '../support/context.ts';
import { startSyncServer, token } from '../support/sync-server.ts';

const files = useStoreAndFolder();
const minutes = 60_000;

async function serviceThat(answer: Parameters<typeof startSyncServer>[0]) {
  const service = await startSyncServer(answer);
  onTestFinished(service.close);
  return service;
}

/** An invocation with `leftMs` until its deadline. */
function invoke(syncUrl: string, leftMs: number, worker: { token?: string; workerName?: string } = {}) {
  const env = { WORK_FOLDER: files.path(`work-${randomUUID()}`), IDLE_EXIT_SECONDS: '1' };
  const event = { syncUrl, token, workerName: 'early-v1', ...worker };
  const helper = fakeHelper();
  const process = {
    env,
    log: createLog('error', {}, () => undefined),
    startHelper: helper.start,
    shutdown: new AbortController().signal,
  };
  return { env, helper, ended: runEarlyWorker({ event, deadlineMs: Date.now() + leftMs }, process) };
}

/** A helper that ends when it is drained or stopped, and what it was told. */
function fakeHelper() {
  const told: string[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const tell = (what: string) => () => {
    told.push(what);
    resolve();
  };
  const start = ({ workerName }: Settings): Helper => {
    told.push(workerName);
    return { drain: tell('drain'), stop: tell('stop'), ended };
  };
  return { told, start };
}

/** A probe whose source never answers. */
async function endlessProbe(): Promise<SyncResponse> {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const source = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/source`;
  const spec = { kind: 'probe' as const, sizeBytes: 9 };
  return { lease: { id: 'L1', kind: 'probe', spec, inputs: { source }, outputs: {}, limits }, nextMs: 20 };
}

test('an invocation calls the service that its event names until it has been idle, and so does the next one', async () => {
  const service = await serviceThat(() => ({ nextMs: 20 }));
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  const { ended, helper } = invoke(service.url, 15 * minutes);
  expect(helper.told).toEqual(['early-v1']);
  await ended;
  expect(helper.told).toEqual(['early-v1', 'drain']);
  const ofDeadline = set.mock.results.filter((_, index) => (set.mock.calls[index]![1] ?? 0) > minutes);
  expect(ofDeadline).toHaveLength(2);
  // They would end the job of a later invocation.
  for (const { value } of ofDeadline) expect(clear).toHaveBeenCalledWith(value);
  vi.restoreAllMocks();
  const callsOfFirst = service.calls.length;
  expect(callsOfFirst).toBeGreaterThan(0);
  await invoke(service.url, 15 * minutes, { workerName: 'early-v2' }).ended;
  const [first, second] = [service.calls[0]!, service.calls[callsOfFirst]!];
  expect([first, second]).toMatchObject([
    { worker: 'early-v1', hello: true },
    { worker: 'early-v2', hello: true },
  ]);
  expect(second.epoch).not.toBe(first.epoch);
});

test('when less than five minutes remain no job is requested', async () => {
  const service = await serviceThat(() => ({ nextMs: 20 }));
  const { ended, helper } = invoke(service.url, 4 * minutes);
  await ended;
  expect(service.calls).toMatchObject([{ leaving: true }]);
  expect(helper.told).toContain('drain');
});

test('shortly before the deadline the running job is returned', async () => {
  const probe = await endlessProbe();
  let nowMs = Date.now();
  const service = await serviceThat((call, n) => ({
    ...(n === 1 && probe),
    ...(call.failed && { acknowledged: call.failed.lease }),
    nextMs: 20,
  }));
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => void vi.restoreAllMocks());
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const { ended, env, helper } = invoke(service.url, 15 * minutes);
  await service.called((call) => call.running !== undefined);
  nowMs += 15 * minutes - 10_000;
  const [fire] = timers.mock.calls.find(([, ms]) => ms === 15 * minutes - 10_000)!;
  (fire as () => void)();
  await ended;
  expect(service.calls.at(-1)?.failed).toMatchObject({ lease: 'L1', code: 'WORKER_STOPPED', fatal: false });
  expect(await readdir(env.WORK_FOLDER)).toEqual([]);
  expect(helper.told).toContain('stop');
});

test('an event without a token, and a token that the service does not know, fail the invocation', async () => {
  const service = await serviceThat(() => ({ nextMs: 20 }));
  await expect(invoke(service.url, 15 * minutes, { token: 'nodot' }).ended).rejects.toThrow(/^WORKER_TOKEN: /);
  await expect(invoke(service.url, 15 * minutes, { token: 'early.expired' }).ended).rejects.toThrow(
    'does not know this token',
  );
  expect(service.calls).toEqual([]);
});
