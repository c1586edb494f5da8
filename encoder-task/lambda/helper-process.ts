import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Settings } from '../worker/settings.ts';
import { drainMessage, wakeMessage } from '../worker/wake-up.ts';

/** A second worker of an invocation. */
export type Helper = {
  /** it takes no more jobs, and ends with the running one */
  drain: () => void;
  /** it returns its job, and ends */
  stop: () => void;
  ended: Promise<unknown>;
};

/** A viewer waits for its job, so that it calls more often than a worker without a job does by itself. */
const wakeMs = 500;

/** What it needs of the environment. The function's credentials are not among them. */
const inherited = ['PATH', 'TMPDIR', 'WORK_FOLDER', 'LOG_LEVEL'] as const;

/**
 * Starts this program once more as a worker with another name. A process by itself, because a worker measures the CPU
 * time of its job by the processes that have ended.
 */
export function startHelper({ syncUrl, token, workerName }: Settings, env: NodeJS.ProcessEnv): Helper {
  const known = Object.fromEntries(inherited.map((name) => [name, env[name]]));
  const own = { SYNC_URL: syncUrl, WORKER_TOKEN: token, WORKER_NAME: `${workerName}-2`, FETCHER: 'off' };
  const child = fork(process.argv[1]!, { env: { ...known, ...own } });
  const send = (message: string): void => {
    // It may have ended: without a callback, that would be an error of this process.
    if (child.connected) child.send(message, () => undefined);
  };
  const timer = setInterval(() => send(wakeMessage), wakeMs);
  // A helper that cannot be started has said why in the log; the other worker does its jobs.
  const ended = once(child, 'exit')
    .catch(() => undefined)
    .finally(() => clearInterval(timer));
  return {
    drain: () => {
      send(drainMessage);
      send(wakeMessage);
    },
    stop: () => void child.kill('SIGTERM'),
    ended,
  };
}
