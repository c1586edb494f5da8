import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../service/service-processes.ts';
import type { Fault, FaultContext, FaultSet } from './fault.ts';

/** A lease lives 75 s, and is looked for each quarter of a minute while workers call. */
const longerThanLeaseMs = 100_000;

/** Sends a signal to a process of a video's encode; tries again when the process was faster. */
async function strike(
  context: FaultContext,
  whom: 'worker' | 'encoder',
  signal: NodeJS.Signals,
): Promise<{ pid: number; encoder: number }> {
  const video = await context.startVideo({ template: 'slow' });
  for (;;) {
    const found = await context.encoderOf(video);
    await sleep(context.random.between(0, 300));
    // Not to the worker alone: it would be met between two jobs, where nothing is to lose.
    if (!send(found.encoder, 0)) continue;
    if (!send(found[whom], signal)) continue;
    context.note(`process ${found[whom]}, ${video.ulid}`);
    return { pid: found[whom], encoder: found.encoder };
  }
}

async function freeze(context: FaultContext, whom: 'worker' | 'encoder', milliseconds: number): Promise<void> {
  const { pid } = await strike(context, whom, 'SIGSTOP');
  try {
    await sleep(milliseconds);
  } finally {
    send(pid, 'SIGCONT');
  }
  context.note(`for ${Math.round(milliseconds / 1000)} s`);
}

const faults: Fault[] = [
  {
    name: 'kill -9 of a worker',
    weight: 3,
    // Nobody speaks for a dead worker but its lease.
    slow: true,
    inject: async (context) => void (await strike(context, 'worker', 'SIGKILL')),
  },
  {
    name: 'kill -9 of a worker and its ffmpeg',
    weight: 3,
    slow: true,
    async inject(context) {
      const { encoder } = await strike(context, 'worker', 'SIGKILL');
      send(encoder, 'SIGKILL');
    },
  },
  {
    name: 'SIGTERM to a worker',
    weight: 3,
    inject: async (context) => void (await strike(context, 'worker', 'SIGTERM')),
  },
  {
    name: 'kill -9 of ffmpeg',
    weight: 3,
    inject: async (context) => void (await strike(context, 'encoder', 'SIGKILL')),
  },
  {
    name: 'SIGTERM to ffmpeg',
    weight: 3,
    inject: async (context) => void (await strike(context, 'encoder', 'SIGTERM')),
  },
  {
    name: 'a worker stands still for less than its lease',
    weight: 2,
    inject: (context) => freeze(context, 'worker', context.random.between(1_000, 15_000)),
  },
  {
    name: 'a worker stands still for longer than its lease',
    slow: true,
    inject: (context) => freeze(context, 'worker', longerThanLeaseMs),
  },
  {
    name: 'ffmpeg stands still for a while',
    weight: 2,
    inject: (context) => freeze(context, 'encoder', context.random.between(1_000, 10_000)),
  },
  {
    name: 'ffmpeg hangs until its worker gives it up',
    slow: true,
    // Two minutes without progress.
    inject: (context) => freeze(context, 'encoder', 150_000),
  },
];

export const processFaults: FaultSet = { faults };
