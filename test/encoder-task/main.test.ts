import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Lease } from '../../shared/protocol/jobs.ts';
import { startRuntimeApi } from './lambda/runtime-api-server.ts';
import { useStoreAndFolder } from './support/clips.ts';
import { limits } from './support/context.ts';
import { startSyncServer, token } from './support/sync-server.ts';

const files = useStoreAndFolder();
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function startProcess(env: Record<string, string>): {
  child: ChildProcess;
  output: () => string;
  exit: Promise<number | null>;
} {
  const main = join(import.meta.dirname, '../../encoder-task/main.ts');
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, WORKER_NAME: 'w1', WORK_FOLDER: files.path('work'), ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  closers.push(() => child.kill('SIGKILL'));
  return { child, output: () => output, exit: once(child, 'close').then(([code]) => code) };
}

const linesOf = (output: string): Record<string, unknown>[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('SIGTERM during a job returns the job, stops ffmpeg and exits with 0', async () => {
  let connections = 0;
  const silent = createServer(() => undefined).on('connection', (socket) => {
    connections++;
    socket.once('close', () => connections--);
  });
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  let given = 0;
  const source = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/source?X-Amz-Signature=topsecret`;
  const service = await startSyncServer((call) => ({
    ...(!call.fetches &&
      !given++ && {
        lease: {
          id: 'L1',
          kind: 'probe',
          spec: { kind: 'probe', sizeBytes: 9 },
          inputs: { source },
          outputs: {},
          limits,
        },
      }),
    ...(call.failed && { acknowledged: call.failed.lease }),
    nextMs: 20,
  }));
  closers.push(service.close, () => silent.close());

  const { child, output, exit } = startProcess({ SYNC_URL: service.url, WORKER_TOKEN: token, LOG_LEVEL: 'debug' });
  await service.called((call) => call.running !== undefined);
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(service.calls.findLast(({ failed }) => failed)?.failed).toMatchObject({
    lease: 'L1',
    code: 'WORKER_STOPPED',
    fatal: false,
  });
  expect(await readdir(files.path('work'))).toEqual([]);
  expect(connections).toBe(0);
  expect(linesOf(output()).map(({ message }) => message)).toContain('job started');
  for (const secret of ['topsecret', token.split('.')[1]!]) expect(output()).not.toContain(secret);
});

test('an ingest runs beside the job of a worker, and keeps its idle process', async () => {
  const sockets = new Set<string>();
  const silent = createServer((request) => void sockets.add(request.url!)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const [probe, ingest] = [
    { kind: 'probe', spec: { kind: 'probe', sizeBytes: 9 }, inputs: { source: `${url}/probe` } },
    {
      kind: 'ingest',
      spec: {
        kind: 'ingest',
        url: `${url}/ingest`,
        partBytes: 1e6,
        maxBytes: 1e6,
        source: null,
        storedParts: [],
        allowLoopback: true,
      },
      inputs: {},
    },
  ].map((job, n) => ({ id: `L${n}`, outputs: {}, limits, ...job }) as Lease);
  const running = new Set<string>();
  let isCancelled = false;
  const service = await startSyncServer((call) => {
    if (call.running) running.add(call.running.lease);
    if (call.running?.lease === 'L0' && isCancelled) return { cancel: 'L0', nextMs: 20 };
    const ended = call.failed && { acknowledged: call.failed.lease };
    if (ended || isCancelled) return { ...ended, nextMs: 20 };
    return { ...(!call.running && { lease: call.fetches ? ingest! : probe! }), nextMs: 20 };
  });
  closers.push(service.close, () => {
    silent.closeAllConnections();
    silent.close();
  });
  const { child, exit } = startProcess({ SYNC_URL: service.url, WORKER_TOKEN: token, IDLE_EXIT_SECONDS: '1' });
  await expect.poll(() => [...running].toSorted()).toEqual(['L0', 'L1']);
  await expect.poll(() => [...sockets].toSorted()).toEqual(['/ingest', '/probe']);
  isCancelled = true;
  await service.called(({ failed }) => failed?.lease === 'L0');
  // Each is a call of the worker after it would have ended without an ingest.
  const idleSince = Date.now();
  await expect.poll(() => service.calls.at(-1)?.running?.lease === 'L1' && Date.now() - idleSince > 2000).toBe(true);
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(service.calls.findLast(({ failed }) => failed)?.failed).toMatchObject({ lease: 'L1', code: 'WORKER_STOPPED' });
});

test('an invalid token causes exit code 1 and one log line', async () => {
  const service = await startSyncServer(() => ({ nextMs: 20 }));
  closers.push(service.close);
  const { exit, output } = startProcess({ SYNC_URL: service.url, WORKER_TOKEN: 'w.wrong' });
  expect(await exit).toBe(1);
  expect(linesOf(output())).toMatchObject([
    {
      level: 'error',
      message: 'worker exits after an error',
      error: expect.stringContaining('does not know this token'),
    },
  ]);
});

test('invalid settings are named, and no call is made', async () => {
  const { exit, output } = startProcess({ SYNC_URL: 'file:///etc/passwd', WORKER_TOKEN: 'nodot' });
  expect(await exit).toBe(1);
  expect(output()).toMatch(/SYNC_URL.*WORKER_TOKEN/);
  expect(output()).not.toContain('nodot');
});

test('the folders of a killed worker are removed at the start, those of others are not', async () => {
  const work = files.path('work');
  for (const name of ['encoder-task-w1-999999999-abcdef', `encoder-task-w2-${process.pid}-abcdef`, 'something-else']) {
    await mkdir(join(work, name), { recursive: true });
    await writeFile(join(work, name, 'file'), 'x');
  }
  const service = await startSyncServer(() => ({ drain: true, nextMs: 20 }));
  closers.push(service.close);
  const { exit } = startProcess({ SYNC_URL: service.url, WORKER_TOKEN: token });
  expect(await exit).toBe(0);
  expect(await readdir(work)).toEqual([`encoder-task-w2-${process.pid}-abcdef`, 'something-else']);
});

test('in a Lambda function it serves invocations, after the folders of an earlier process are removed', async () => {
  const service = await startSyncServer(() => ({ drain: true, nextMs: 20 }));
  const event = { syncUrl: service.url, token, workerName: 'early-v1' };
  const api = await startRuntimeApi([
    { event, deadlineMs: Date.now() + 900_000 },
    { event: {}, deadlineMs: Date.now() + 900_000 },
  ]);
  closers.push(service.close, api.close);
  await mkdir(join(files.path('work'), `encoder-task-early-v0-${process.pid}-abcdef`), { recursive: true });
  const { child, exit, output } = startProcess({ AWS_LAMBDA_RUNTIME_API: api.address });
  await api.done;
  expect(api.answered).toMatchObject([
    { id: 'id1', path: 'response' },
    { id: 'id2', path: 'error', body: { errorMessage: expect.stringMatching(/SYNC_URL.*WORKER_TOKEN/) } },
  ]);
  // The second one is a process by itself, which the first one has started and ended.
  expect(service.calls.map(({ worker }) => worker).toSorted()).toEqual(['early-v1', 'early-v1-2']);
  expect((await readdir(files.path('work'))).filter((name) => name.includes('early'))).toEqual([]);
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(output()).not.toContain(token.split('.')[1]!);
});
