import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { processesOf } from '../../../test/journey/support/processes.ts';

export type ServiceProcesses = {
  /** the command of the user, and the service process */
  service: number[];
  /** includes those that a fault started */
  workers: { pid: number; name: string; isService: boolean }[];
  /** running or suspended ffmpeg processes, with their worker */
  encoders: { pid: number; worker: number }[];
};

/** The processes of a data folder, from `/proc`. */
export async function serviceProcesses(dataFolder: string): Promise<ServiceProcesses> {
  const found = await processesOf(dirname(dataFolder));
  const workers = await Promise.all(
    found
      .filter(
        ({ command }) => command.includes('/ecs/exit-with-parent.mjs') || command.includes('/encoder-task/main.ts'),
      )
      .map(async ({ pid, command }) => ({
        pid,
        name: await workerName(pid),
        isService: command.includes('/ecs/exit-with-parent.mjs'),
      })),
  );
  return {
    service: found.filter(({ command }) => /\/local\/(start\.mjs|main\.ts)/.test(command)).map(({ pid }) => pid),
    workers,
    encoders: await encodersOf(new Set(workers.map(({ pid }) => pid))),
  };
}

async function workerName(pid: number): Promise<string> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return /(?:^|\0)WORKER_NAME=([^\0]*)/.exec(environment)?.[1] ?? '';
}

async function encodersOf(workers: ReadonlySet<number>): Promise<{ pid: number; worker: number }[]> {
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

/** Sends a signal to a process. False if it has exited. */
export function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
