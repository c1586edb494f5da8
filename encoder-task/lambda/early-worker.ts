import type { Log } from '../runtime/log.ts';
import { readSettings } from '../worker/settings.ts';
import { startWork } from '../worker/start-work.ts';
import type { WakeUp } from '../worker/wake-up.ts';
import type { Invocation } from './runtime-api.ts';

/** No job starts when less time remains: the next one could be the audio of a long video. */
const drainMs = 5 * 60_000;
/** The running job is returned when less time remains. Its report may take 3 s. */
const returnMs = 10_000;

type Process = { env: NodeJS.ProcessEnv; log: Log; shutdown: AbortSignal };

/** Nothing notifies an early worker: it calls until it has been idle for too long. */
const neverWoken: WakeUp = { signal: new AbortController().signal, reset: () => undefined };

/**
 * Runs a worker for one invocation. The event has the address of the service, the token and the name of the worker; the
 * other settings are those of the function. The worker ends when it is idle, or early enough before the deadline.
 */
export async function runEarlyWorker({ event, deadlineMs }: Invocation, { env, log, shutdown }: Process) {
  const { syncUrl, token, workerName } = event as Record<string, string>;
  const settings = readSettings({ ...env, SYNC_URL: syncUrl, WORKER_TOKEN: token, WORKER_NAME: workerName });
  const drain = abortAt(deadlineMs - drainMs);
  const stop = abortAt(deadlineMs - returnMs);
  try {
    await startWork(settings, {
      log: log.with({ worker: settings.workerName }),
      wakeUp: neverWoken,
      drain: drain.signal,
      shutdown: AbortSignal.any([shutdown, stop.signal]),
    });
  } finally {
    // Otherwise they would fire in a later invocation of the same process.
    drain.clear();
    stop.clear();
  }
}

function abortAt(timeMs: number): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  const waitMs = timeMs - Date.now();
  if (waitMs <= 0) controller.abort();
  const timer = waitMs > 0 ? setTimeout(() => controller.abort(), waitMs) : undefined;
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
