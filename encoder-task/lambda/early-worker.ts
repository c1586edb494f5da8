import type { Log } from '../runtime/log.ts';
import { readSettings, type Settings } from '../worker/settings.ts';
import { startWork } from '../worker/start-work.ts';
import type { WakeUp } from '../worker/wake-up.ts';
import type { Helper } from './helper-process.ts';
import type { Invocation } from './runtime-api.ts';

/** No job starts when less time remains: the next one could be the audio of a long video. */
const drainMs = 5 * 60_000;
/** The running job is returned when less time remains. Its report may take 3 s. */
const returnMs = 10_000;

type Process = {
  env: NodeJS.ProcessEnv;
  log: Log;
  startHelper: (settings: Settings, env: NodeJS.ProcessEnv) => Helper;
  shutdown: AbortSignal;
};

/** Nothing notifies an early worker: it calls until it has been idle for too long. */
const neverWoken: WakeUp = { signal: new AbortController().signal, reset: () => undefined };

/**
 * Runs two workers for one invocation: the first segments of the video are encoded beside the audio, which takes half a
 * minute for an hour. The event has the address of the service, the token and the name of the first worker; the other
 * settings are those of the function. They end when the first one is idle, or early enough before the deadline.
 */
export async function runEarlyWorker(
  { event, deadlineMs }: Invocation,
  { env, log, startHelper, shutdown }: Process,
): Promise<void> {
  const { syncUrl, token, workerName } = event as Record<string, string>;
  const settings = readSettings({ ...env, SYNC_URL: syncUrl, WORKER_TOKEN: token, WORKER_NAME: workerName });
  const drain = abortAt(deadlineMs - drainMs);
  const stop = abortAt(deadlineMs - returnMs);
  const end = AbortSignal.any([shutdown, stop.signal]);
  const helper = startHelper(settings, env);
  drain.signal.addEventListener('abort', helper.drain, { once: true });
  end.addEventListener('abort', helper.stop, { once: true });
  try {
    await startWork(settings, {
      log: log.with({ worker: settings.workerName }),
      wakeUp: neverWoken,
      drain: drain.signal,
      shutdown: end,
    });
  } finally {
    helper.drain();
    await helper.ended;
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
