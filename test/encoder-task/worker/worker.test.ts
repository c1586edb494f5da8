import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../../encoder-task/runtime/log.ts';
import {
  CallFailed,
  createFileCall,
  createSyncCall,
  Unauthorized,
} from '../../../encoder-task/worker/service-calls.ts';
import { maxReportAttempts } from '../../../encoder-task/worker/state.ts';
import { createWakeUp } from '../../../encoder-task/worker/wake-up.ts';
import { work } from '../../../encoder-task/worker/worker.ts';
import { trackFiles } from '../../../functions/job-results/job-files.ts';
import type { JobResult, Lease, SyncRequest, SyncResponse } from '../../../shared/protocol/jobs.ts';
import { segmentFile } from '../../../shared/protocol/track-files.ts';
import { h264, makeClip, useStoreAndFolder } from '../support/clips.ts';
import { limits } from '../support/context.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { replaceFfmpeg, restoreFfmpeg } from '../support/replace-ffmpeg.ts';
import { type SyncServer, startSyncServer, token } from '../support/sync-server.ts';

const files = useStoreAndFolder();
const closers: (() => unknown)[] = [];
afterEach(async () => {
  restoreFfmpeg();
  for (const close of closers.splice(0)) await close();
});

async function serviceThat(answer: Parameters<typeof startSyncServer>[0]): Promise<SyncServer> {
  const service = await startSyncServer(answer);
  closers.push(service.close);
  return service;
}

const log = createLog('error', {}, () => undefined);

/** Runs a worker in this process; `stop` has the effect of SIGTERM. */
function startWorker(
  service: SyncServer,
  more: { idleExitSeconds?: number; token?: string; workFolder?: string } = {},
) {
  const shutdown = new AbortController();
  const channel = new EventEmitter();
  const workFolder = more.workFolder ?? files.path(`work-${randomUUID()}`);
  const ended = work({
    workerName: 'w1',
    workFolder,
    idleExitSeconds: 0,
    epoch: 'e1',
    version: '1',
    log,
    sync: createSyncCall(service.url, more.token ?? token, log),
    askFiles: createFileCall(service.url, more.token ?? token, log),
    wakeUp: createWakeUp(channel),
    shutdown: shutdown.signal,
    ...more,
  });
  return {
    ended,
    stop: () => shutdown.abort(),
    wake: () => channel.emit('message', 'wake'),
    folders: () => readdir(workFolder),
  };
}

const probeLease = (id: string, source: string): Lease => ({
  id,
  kind: 'probe',
  spec: { kind: 'probe', sizeBytes: 1000 },
  limits,
  inputs: { source },
  outputs: { 'index.json.gz': files.store.url('index.json.gz') },
});

/** URL of a server that accepts connections and never answers, so that a job runs until it is stopped. */
async function silentSource(): Promise<string> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/source`;
}

const reported = (call: SyncRequest): string | undefined => call.done?.lease ?? call.failed?.lease;
const acknowledge = (call: SyncRequest, response: Partial<SyncResponse> = {}): SyncResponse => {
  const lease = reported(call);
  return { ...(lease && { acknowledged: lease }), nextMs: 20, ...response };
};

describe('a worker', () => {
  test('marks a repeated call', async () => {
    const service = await serviceThat((_, n) => (n < 3 ? { status: 503 } : { drain: true, nextMs: 20 }));
    await startWorker(service).ended;
    expect(service.calls.map(({ again, hello }) => ({ again, hello }))).toEqual([
      { again: undefined, hello: true },
      { again: true, hello: true },
      { again: true, hello: true },
    ]);
  });

  test('runs the job of a lease, reports the result, and exits when it is drained', async () => {
    files.store.objects.set('source', await readFile(await makeClip(files.path('clip.mp4'), '25', 0.4, ...h264)));
    const service = await serviceThat((call, n) => {
      if (n === 1) return { lease: probeLease('L1', files.store.url('source')), nextMs: 20 };
      return acknowledge(call, reported(call) ? { drain: true } : {});
    });
    const worker = startWorker(service);
    await worker.ended;
    const last = service.calls.at(-1);
    expect(last?.done).toMatchObject({ lease: 'L1', result: { video: { frameCount: 10 } } });
    expect(service.calls[0]).toEqual({ worker: 'w1', epoch: 'e1', version: '1', hello: true });
    expect(service.calls.slice(1).some(({ hello }) => hello)).toBe(false);
    expect(await worker.folders()).toEqual([]);
  });

  test('reports stored segments of a running job, which are complete in the store by then', async () => {
    const source = files.path('sound.mp4');
    await ffmpeg('-f', 'lavfi', '-i', 'sine=d=1.8:r=48000', '-c:a', 'aac', source);
    files.store.objects.set('source', await readFile(source));
    // as slow as the sound, so that the job runs while the first segments are reported
    await replaceFfmpeg(files.path('.'), ['exec ffmpeg -readrate 1 "$@"']);
    const rendition = {
      name: 'a0',
      streamIndex: 0,
      codec: 'aac' as const,
      bitrateBps: 64_000,
      channels: 1,
      sampleRateHz: 48_000,
      language: 'en',
      loudnessLufs: null,
      segmentSeconds: 0.3,
    };
    const outputs = trackFiles({ names: ['a0'], segments: Array.from({ length: 9 }, (_, n) => n) });
    const lease: Lease = {
      id: 'L1',
      kind: 'encode-audio',
      limits,
      inputs: { source: files.store.url('source') },
      outputs: Object.fromEntries(outputs.map((file) => [file, files.store.url(file)])),
      spec: {
        kind: 'encode-audio',
        rendition,
        formatName: 'mov',
        originSeconds: 0,
        durationSeconds: 1.8,
        reportsSegments: true,
      },
    };
    const reports: { segments: number; objects: Buffer[] }[] = [];
    const service = await serviceThat((call, n) => {
      if (n === 1) return { lease, nextMs: 10_000 };
      if (!call.running?.stored) return acknowledge(call, { drain: reported(call) !== undefined });
      const { segments, run, codecs } = call.running.stored;
      expect({ run, codecs }).toEqual({ run: 1, codecs: { a0: 'mp4a.40.2' } });
      const stored = ['init.mp4', ...Array.from({ length: segments }, (_, number) => segmentFile(number, 1))];
      reports.push({ segments, objects: stored.map((file) => files.store.objects.get(`a0/${file}`)!) });
      return { nextMs: 10_000 };
    });
    await startWorker(service).ended;
    const { track } = service.calls.at(-1)!.done!.result as JobResult<'encode-audio'>;
    expect(reports.length).toBeGreaterThan(0);
    for (const { segments, objects } of reports) {
      // On a busy machine, the last segment can be stored a moment before the job ends.
      expect(segments).toBeLessThanOrEqual(track.segments.length);
      const sizes = [track.init, ...track.segments.slice(0, segments)].map(({ bytes }) => bytes);
      expect(objects.map((bytes) => bytes.length)).toEqual(sizes);
    }
  });

  test('reports why an input is rejected', async () => {
    files.store.objects.set('source', Buffer.from('no video at all'));
    const service = await serviceThat((call, n) =>
      n === 1
        ? { lease: probeLease('L1', files.store.url('source')), nextMs: 20 }
        : acknowledge(call, { drain: reported(call) !== undefined }),
    );
    await startWorker(service).ended;
    const { failed } = await service.called((call) => call.failed !== undefined);
    expect(failed).toMatchObject({ lease: 'L1', code: 'INPUT_NOT_MEDIA', fatal: true });
  });

  test('repeats a report until it is acknowledged, then starts the next job from the same answer', async () => {
    files.store.objects.set('source', Buffer.from('no video at all'));
    const lease = (id: string) => probeLease(id, files.store.url('source'));
    let rejections = 2;
    const service = await serviceThat((call, n) => {
      if (n === 1) return { lease: lease('L1'), nextMs: 20 };
      if (call.failed?.lease === 'L1') {
        return rejections-- > 0 ? { status: 503 } : acknowledge(call, { lease: lease('L2') });
      }
      return acknowledge(call, { drain: call.failed?.lease === 'L2' });
    });
    await startWorker(service).ended;
    expect(service.calls.map(reported).filter(Boolean)).toEqual(['L1', 'L1', 'L1', 'L2']);
  });

  test('renews its lease during a job, and stops the job when it is cancelled', async () => {
    const source = await silentSource();
    const service = await serviceThat((call, n) => {
      if (n === 1) return { lease: probeLease('L1', source), nextMs: 20 };
      if (n === 4) return { cancel: 'L1', nextMs: 20 };
      return acknowledge(call, { drain: n > 5 });
    });
    const worker = startWorker(service);
    await service.called((call) => call.running?.lease === 'L1' && call.running.progress === 0);
    await worker.ended;
    expect(service.calls.slice(1, 4).every((call) => call.running?.lease === 'L1')).toBe(true);
    // the CPU time of the cancelled job is reported once
    expect(service.calls.slice(4).some((call) => call.running)).toBe(false);
    expect(service.calls.slice(4).filter(reported)).toMatchObject([
      { failed: { lease: 'L1', code: 'CANCELLED', cpuSeconds: expect.any(Number) } },
    ]);
    expect(await worker.folders()).toEqual([]);
  });

  test('stops a job at its time limit', async () => {
    const source = await silentSource();
    const lease = { ...probeLease('L1', source), limits: { ...limits, wallSeconds: 0.3 } };
    const service = await serviceThat((call, n) =>
      n === 1 ? { lease, nextMs: 20 } : acknowledge(call, { drain: call.failed !== undefined }),
    );
    await startWorker(service).ended;
    expect(service.calls.at(-1)?.failed).toMatchObject({ lease: 'L1', code: 'TIME_LIMIT', fatal: false });
  });

  test('returns its job when it is shut down', async () => {
    const source = await silentSource();
    const service = await serviceThat((call, n) =>
      n === 1 ? { lease: probeLease('L1', source), nextMs: 20 } : acknowledge(call),
    );
    const worker = startWorker(service);
    await service.called((call) => call.running !== undefined);
    worker.stop();
    await worker.ended;
    expect(service.calls.at(-1)).toMatchObject({
      leaving: true,
      failed: { lease: 'L1', code: 'WORKER_STOPPED', fatal: false, message: 'worker is shutting down' },
    });
    expect(await worker.folders()).toEqual([]);
  });

  test('returns a job that arrives with the answer to its final report', async () => {
    const source = await silentSource();
    const service = await serviceThat((call, n) => {
      if (n === 1) return { lease: probeLease('L1', source), nextMs: 20 };
      return acknowledge(call, call.failed?.lease === 'L1' ? { lease: probeLease('L2', source) } : {});
    });
    const worker = startWorker(service);
    await service.called((call) => call.running !== undefined);
    worker.stop();
    await worker.ended;
    expect(service.calls.at(-1)?.failed).toMatchObject({ lease: 'L2', code: 'WORKER_STOPPED', fatal: false });
  });

  test('pauses after a failure that its machine may have caused, so that another worker makes the next attempt', async () => {
    const service = await serviceThat((call, n) =>
      n === 1 ? { lease: probeLease('L1', files.store.url('source')), nextMs: 20 } : acknowledge(call),
    );
    const worker = startWorker(service, { workFolder: '/dev/null/no-folder' });
    const { failed, leaving } = await service.called((call) => call.failed !== undefined);
    expect({ failed, leaving }).toMatchObject({ failed: { code: 'INTERNAL', fatal: false }, leaving: true });
    const calls = service.calls.length;
    await sleep(300);
    worker.stop();
    await worker.ended;
    expect(service.calls).toHaveLength(calls);
  });

  test('polls an empty queue at growing intervals', async () => {
    const at: number[] = [];
    const service = await serviceThat((call) => {
      at.push(Date.now());
      return acknowledge(call, { nextMs: 100, drain: at.length === 5 });
    });
    await startWorker(service).ended;
    const waits = at.slice(1).map((time, n) => time - at[n]!);
    for (const [n, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(75 * 2 ** n - 5);
  });

  test('calls at once when it is woken, also when the message arrived during a call', async () => {
    let worker: ReturnType<typeof startWorker> | undefined;
    const service = await serviceThat((call, n) => {
      if (n === 1) setTimeout(() => worker?.wake(), 50);
      if (n === 2) worker?.wake();
      return acknowledge(call, { nextMs: 60_000, drain: n === 3 });
    });
    const startedMs = Date.now();
    worker = startWorker(service);
    await worker.ended;
    expect(service.calls).toHaveLength(3);
    expect(Date.now() - startedMs).toBeLessThan(60_000);
  });

  test('exits after the idle time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    closers.push(() => vi.useRealTimers());
    const service = await serviceThat((call) => {
      vi.setSystemTime(Date.now() + 400);
      return acknowledge(call);
    });
    await startWorker(service, { idleExitSeconds: 1 }).ended;
    expect(service.calls.length).toBeGreaterThan(2);
  });

  test('reports a failure in place of a result that the service rejects', async () => {
    files.store.objects.set('source', await readFile(await makeClip(files.path('fine.mp4'), '25', 0.4, ...h264)));
    const service = await serviceThat((call, n) => {
      if (n === 1) return { lease: probeLease('L1', files.store.url('source')), nextMs: 20 };
      if (call.done) return { status: 422 };
      return acknowledge(call, { drain: call.failed !== undefined });
    });
    await startWorker(service).ended;
    expect(service.calls.filter(reported)).toMatchObject([
      { done: { lease: 'L1' } },
      { failed: { lease: 'L1', code: 'RESULT_REFUSED', fatal: false } },
    ]);
  });

  test('drops a failure that the service rejects, and continues', async () => {
    files.store.objects.set('source', Buffer.from('no video at all'));
    const service = await serviceThat((call, n) => {
      if (n === 1) return { lease: probeLease('L1', files.store.url('source')), nextMs: 20 };
      return call.failed ? { status: 422 } : acknowledge(call, { drain: !call.running });
    });
    await startWorker(service).ended;
    expect(service.calls.filter(reported)).toHaveLength(1);
  });

  test('reports a failure when the service fails on a result but answers other calls, then starts the next job', async () => {
    files.store.objects.set('source', await readFile(await makeClip(files.path('poison.mp4'), '25', 0.4, ...h264)));
    const source = files.store.url('source');
    const service = await serviceThat((call, n) => {
      if (n === 1) return { lease: probeLease('L1', source), nextMs: 20 };
      if (call.done?.lease === 'L1') return { status: 500 };
      if (call.failed) return acknowledge(call, { lease: probeLease('L2', source) });
      return acknowledge(call, { drain: call.done?.lease === 'L2' });
    });
    await startWorker(service).ended;
    const reports = service.calls.filter(reported);
    expect(reports.map(({ done, failed }) => [done?.lease, failed?.lease, failed?.code])).toEqual([
      ...Array(maxReportAttempts).fill(['L1', undefined, undefined]),
      [undefined, 'L1', 'RESULT_REFUSED'],
      ['L2', undefined, undefined],
    ]);
    // the lease is renewed between the attempts
    const second = service.calls.indexOf(reports[1]!);
    expect(service.calls[second - 1]).toMatchObject({ running: { lease: 'L1' } });
    expect(reports[1]).toMatchObject({ again: true });
  });

  test('keeps its result during an outage of the service', async () => {
    files.store.objects.set('source', await readFile(await makeClip(files.path('kept.mp4'), '25', 0.4, ...h264)));
    let outages = maxReportAttempts;
    const service = await serviceThat((call, n) => {
      if (n === 1) return { lease: probeLease('L1', files.store.url('source')), nextMs: 20 };
      const isAway = call.done !== undefined || service.calls.some(({ done }) => done);
      return isAway && outages-- > 0 ? { status: 503 } : acknowledge(call, { drain: call.done !== undefined });
    });
    await startWorker(service).ended;
    expect(service.calls.at(-1)?.done).toMatchObject({ lease: 'L1' });
    expect(service.calls.filter(({ done }) => done)).toHaveLength(2);
  });

  test('exits when its token is invalid', async () => {
    const service = await serviceThat(() => ({ nextMs: 20 }));
    await expect(startWorker(service, { token: 'other.secret' }).ended).rejects.toBeInstanceOf(Unauthorized);
    expect(service.calls).toEqual([]);
  });

  test('waits for the time in Retry-After', async () => {
    const service = await serviceThat((call, n) =>
      n === 1 ? { status: 429, headers: { 'retry-after': '1' } } : acknowledge(call, { drain: true }),
    );
    const startedMs = Date.now();
    await startWorker(service).ended;
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(990);
    expect(service.calls).toHaveLength(2);
  });
});

test('a throttled report is no failed attempt to deliver it, unlike one that the service fails on', async () => {
  const deliver = async (status: number) => {
    const service = await serviceThat((_, n) => (n === 1 ? { status } : { acknowledged: 'L1', nextMs: 20 }));
    const report: SyncRequest = { worker: 'w1', epoch: 'e1', version: '1', done: { lease: 'L1', result: {} } };
    return createSyncCall(service.url, token, log)(report, new AbortController().signal, { maxAttempts: 1 });
  };
  expect(await deliver(429)).toEqual({ acknowledged: 'L1', nextMs: 20 });
  await expect(deliver(503)).rejects.toBeInstanceOf(CallFailed);
});
