import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FaultContext } from '../injected/fault.ts';

const program = join(import.meta.dirname, '../../../encoder-task/main.ts');
const graceMs = 10_000;

export type WorkerSurroundings = {
  name: string;
  workFolder: string;
  /** options of Node, before the program */
  nodeOptions?: string[];
  /** searched for programs before the PATH of the machine */
  binFolder?: string;
};

export type OwnWorker = {
  name: string;
  /** its output, one JSON object per line */
  said: readonly string[];
  stop(): Promise<void>;
};

/** An additional worker with the same program and token in an unusual environment. */
export async function startWorker(
  { service }: FaultContext,
  { name, workFolder, nodeOptions = [], binFolder }: WorkerSurroundings,
): Promise<OwnWorker> {
  const child = spawn(process.execPath, [...nodeOptions, program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: [binFolder, process.env.PATH].filter(Boolean).join(delimiter),
      SYNC_URL: `${service.apiUrl}/api/workers/sync`,
      WORKER_TOKEN: await service.account.parameter('worker-token'),
      WORKER_NAME: name,
      WORK_FOLDER: workFolder,
      LOG_LEVEL: 'warn',
    },
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => said.push(line));
  return { name, said, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await gone;
  clearTimeout(timer);
}
