import { randomUUID } from 'node:crypto';
import type { Encoders } from '../../shared/protocol/jobs.ts';
import { readEncoders } from '../ffmpeg/encoder-versions.ts';
import type { Log } from '../runtime/log.ts';
import { createFileCall, createSyncCall } from './service-calls.ts';
import type { Settings } from './settings.ts';
import type { WakeUp } from './wake-up.ts';
import { type Worker, work } from './worker.ts';

const version = '1';

type Signals = Pick<Worker, 'wakeUp' | 'drain' | 'shutdown' | 'fetches' | 'transcribes' | 'isNeeded' | 'onBusy'>;

/**
 * Runs a worker, and beside it in the same process a fetcher, which takes ingests only, and a transcriber, which takes
 * transcriptions only, if it has a model of speech. An ingest mostly waits for the network, and a transcription leaves
 * the processor to all others: neither costs an encode anything, and none holds a worker. The process ends when the
 * worker has ended and the others run nothing. The helper of an early worker has neither.
 */
export async function workAndFetch(
  settings: Settings,
  { log, newWakeUp, drain, shutdown }: { log: Log; newWakeUp: () => WakeUp; drain: AbortSignal; shutdown: AbortSignal },
): Promise<void> {
  const ended = new AbortController();
  const busy = new Set<string>();
  const startBeside = (role: string, takes: Pick<Worker, 'fetches' | 'transcribes'>): Promise<void> => {
    const beside = { ...settings, workerName: besideName(settings.workerName, role), idleExitSeconds: 0 };
    const wakeUp = newWakeUp();
    return startWork(beside, {
      log: log.with({ worker: beside.workerName }),
      wakeUp: {
        get signal() {
          return AbortSignal.any([wakeUp.signal, ended.signal]);
        },
        reset: wakeUp.reset,
      },
      drain: AbortSignal.any([drain, ended.signal]),
      shutdown,
      ...takes,
      onBusy: (isBusy) => {
        if (isBusy) busy.add(role);
        else busy.delete(role);
      },
    });
  };
  await Promise.all([
    startWork(settings, { log, wakeUp: newWakeUp(), drain, shutdown, isNeeded: () => busy.size > 0 }).then(() =>
      ended.abort(),
    ),
    ...(settings.hasFetcher ? [startBeside('fetch', { fetches: true })] : []),
    ...(settings.hasFetcher && settings.speech ? [startBeside('speech', { transcribes: true })] : []),
  ]);
}

/** The name of a worker has at most 64 characters, and its end is what differs. */
const besideName = (workerName: string, role: string): string => `${workerName.slice(-(63 - role.length))}-${role}`;

/** Nothing waits for the encoders: the first job of a worker that was started for a video is a probe. */
function knownLater(reading: Promise<Encoders>, log: Log): () => Encoders | undefined {
  let encoders: Encoders | undefined;
  reading.then(
    (read) => {
      encoders = read;
    },
    (error) => log.warn('the versions of the encoders are not known', { error }),
  );
  return () => encoders;
}

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
    ...(!(signals.fetches || signals.transcribes) && { encoders: knownLater(readEncoders(), log) }),
  });
