import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processesOf } from '../journey/processes.ts';

export type ServiceProcesses = {
  /** the command that a user starts, and the service itself */
  service: number[];
  workers: { pid: number; name: string }[];
  /** running or stopped processes of ffmpeg, with the worker that started them */
  encoders: { pid: number; worker: number }[];
};

/** What runs for a data folder. From `/proc`. */
export async function serviceProcesses(dataFolder: string): Promise<ServiceProcesses> {
  const found = await processesOf(dataFolder);
  const isWorker = (command: string): boolean => command.includes('/ecs/exit-with-parent.ts');
  const workers = await Promise.all(
    found.filter(({ command }) => isWorker(command)).map(async ({ pid }) => ({ pid, name: await workerName(pid) })),
  );
  const own = new Set(workers.map(({ pid }) => pid));
  return {
    service: found.filter(({ command }) => /\/infra\/local\/(start\.mjs|main\.ts)/.test(command)).map(({ pid }) => pid),
    workers,
    encoders: await encodersOf(own),
  };
}

async function workerName(pid: number): Promise<string> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return /(?:^|\0)WORKER_NAME=([^\0]*)/.exec(environment)?.[1] ?? '';
}

/** ffmpeg has nothing of the data folder in its arguments or environment once the folder is a mount, so it is known by its parent. */
export async function encodersOf(workers: ReadonlySet<number>): Promise<{ pid: number; worker: number }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const looked = await Promise.all(
    pids.map(async (name) => {
      const status = await readFile(join('/proc', name, 'stat'), 'utf8').catch(() => '');
      const [, pid, program, parent] = /^(\d+) \((.*)\) \S (\d+)/s.exec(status) ?? [];
      return program === 'ffmpeg' && workers.has(Number(parent)) ? [{ pid: Number(pid), worker: Number(parent) }] : [];
    }),
  );
  return looked.flat();
}

/** Sends a signal to a process that may be gone by now. False when it is. */
export function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
