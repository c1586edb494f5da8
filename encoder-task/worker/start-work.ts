import { randomUUID } from 'node:crypto';
import type { Log } from '../runtime/log.ts';
import { createFileCall, createSyncCall } from './service-calls.ts';
import type { Settings } from './settings.ts';
import type { WakeUp } from './wake-up.ts';
import { type Worker, work } from './worker.ts';

const version = '1';

type Signals = Pick<Worker, 'wakeUp' | 'drain' | 'shutdown' | 'fetches' | 'isNeeded' | 'onBusy'>;

/**
 * Runs a worker, and beside it a fetcher: a second one in the same process that takes ingests only. An ingest mostly
 * waits for the network. So it costs an encode nothing, and a server that sends slowly does not hold a worker. The
 * process ends when the worker has ended and no ingest is running. The helper of an early worker has no fetcher.
 */
export async function workAndFetch(
  settings: Settings,
  { log, newWakeUp, drain, shutdown }: { log: Log; newWakeUp: () => WakeUp; drain: AbortSignal; shutdown: AbortSignal },
): Promise<void> {
  if (!settings.hasFetcher) return startWork(settings, { log, wakeUp: newWakeUp(), drain, shutdown });
  const ended = new AbortController();
  let isFetching = false;
  const wakeUp = newWakeUp();
  const fetcher = { ...settings, workerName: fetcherName(settings.workerName), idleExitSeconds: 0 };
  await Promise.all([
    startWork(settings, { log, wakeUp: newWakeUp(), drain, shutdown, isNeeded: () => isFetching }).then(() =>
      ended.abort(),
    ),
    startWork(fetcher, {
      log: log.with({ worker: fetcher.workerName }),
      wakeUp: {
        get signal() {
          return AbortSignal.any([wakeUp.signal, ended.signal]);
        },
        reset: wakeUp.reset,
      },
      drain: AbortSignal.any([drain, ended.signal]),
      shutdown,
      fetches: true,
      onBusy: (isBusy) => {
        isFetching = isBusy;
      },
    }),
  ]);
}

/** The name of a worker has at most 64 characters, and its end is what differs. */
const fetcherName = (workerName: string): string => `${workerName.slice(-58)}-fetch`;

/** Runs a worker with its calls to the service, until it exits. */
export const startWork = (settings: Settings, { log, ...signals }: { log: Log } & Signals): Promise<void> =>
  work({
    ...settings,
    epoch: randomUUID(),
    version,
    sync: createSyncCall(settings.syncUrl, settings.token, log),
    askFiles: createFileCall(settings.syncUrl, settings.token, log),
    log,
    ...signals,
  });
