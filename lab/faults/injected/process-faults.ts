import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../service/service-processes.ts';
import type { Fault, FaultContext, FaultSet } from './fault.ts';

/** A lease lasts up to 75 s, and expired leases are searched every 15 s while workers call. */
const longerThanLeaseMs = 100_000;

/** Sends a signal to an encoding process of a video; repeats if the process exited before. */
async function strike(
  context: FaultContext,
  whom: 'worker' | 'encoder',
  signal: NodeJS.Signals,
): Promise<{ pid: number; encoder: number }> {
  const video = await context.startVideo({ template: 'slow' });
  for (;;) {
    const found = await context.encoderOf(video);
    await sleep(context.random.between(0, 300));
    // Not only to the worker: it might be between two jobs, with nothing to lose.
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
    // The expiry of the lease is the only sign of a dead worker.
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
    name: 'a worker is suspended for less than its lease',
    weight: 2,
    inject: (context) => freeze(context, 'worker', context.random.between(1_000, 15_000)),
  },
  {
    name: 'a worker is suspended for longer than its lease',
    slow: true,
    inject: (context) => freeze(context, 'worker', longerThanLeaseMs),
  },
  {
    name: 'ffmpeg is suspended for a while',
    weight: 2,
    inject: (context) => freeze(context, 'encoder', context.random.between(1_000, 10_000)),
  },
  {
    name: 'ffmpeg hangs until its worker kills it',
    slow: true,
    // ffmpeg is killed after two minutes without progress.
    inject: (context) => freeze(context, 'encoder', 150_000),
  },
];

export const processFaults: FaultSet = { faults };
