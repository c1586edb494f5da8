import { createRandom } from './events.ts';

/** An uploaded video: the real and the estimated duration of its chunks. */
export type Upload = {
  owner: string;
  atSeconds: number;
  name: string;
  probeSeconds: number;
  /** the jobs after the probe, in the order in which they are queued */
  chunks: SimulatedJob[];
};

export type SimulatedJob = {
  estimateSeconds: number;
  /** on a task or the worker of a node */
  seconds: number;
  /** on a worker that is a Lambda function */
  lambdaSeconds?: number;
  isUrgent?: boolean;
  /** the work of the video that is due before it; without it, all jobs before are as long */
  aheadSeconds?: number;
  /** segments that it stores one after the other, from the first to before the last number */
  stores?: { track: 'starter' | 'audio'; segments: readonly [number, number] };
};

type Wanted = { owner: string; atSeconds: number; chunks: number; chunkSeconds: number; name?: string };

/** Estimates are off by a third either way. */
export function createUploads(seed: number) {
  const random = createRandom(seed);
  return ({ owner, atSeconds, chunks, chunkSeconds, name = owner }: Wanted): Upload => ({
    owner,
    atSeconds,
    name,
    probeSeconds: 2 + 2 * random(),
    chunks: Array.from({ length: chunks }, () => {
      const seconds = chunkSeconds * (0.67 + 0.66 * random());
      return { estimateSeconds: chunkSeconds, seconds };
    }),
  });
}

/** Long and short videos of many users within a minute, `total` chunks in all. */
export function mixedUploads(total: number, seed: number): Upload[] {
  const random = createRandom(seed);
  const upload = createUploads(seed + 1);
  const uploads: Upload[] = [];
  for (let left = total, n = 0; left > 0; n++) {
    const wanted = n % 5 === 0 ? 200 + Math.floor(200 * random()) : 1 + Math.floor(8 * random());
    const chunks = Math.min(left, wanted);
    left -= chunks;
    uploads.push(upload({ owner: `user-${n % 23}`, atSeconds: 60 * random(), chunks, chunkSeconds: 40, name: `${n}` }));
  }
  return uploads;
}

/** `count` videos of 20 to 180 chunks, of a hundred users, within a minute. */
export function concurrentUploads(count: number, seed: number): Upload[] {
  const random = createRandom(seed);
  const upload = createUploads(seed + 1);
  return Array.from({ length: count }, (_, n) => {
    const chunks = 20 + Math.floor(160 * random());
    return upload({ owner: `user-${n % 100}`, atSeconds: 60 * random(), chunks, chunkSeconds: 40, name: `${n}` });
  });
}

/** Uploads without end, at random times, that need `load` of the workers. `next` makes the n-th one. */
export function endlessUploads(
  next: (n: number, atSeconds: number) => Upload,
  { count, load, workers }: { count: number; load: number; workers: number },
): Upload[] {
  const random = createRandom(29);
  const uploads: Upload[] = [];
  for (let [n, atSeconds] = [0, 0]; n < count; n++) {
    const upload = next(n, atSeconds);
    uploads.push(upload);
    atSeconds += (-Math.log(1 - random()) * workSeconds([upload])) / (workers * load);
  }
  return uploads;
}

export const workSeconds = (uploads: readonly Upload[]): number =>
  uploads.reduce(
    (sum, { probeSeconds, chunks }) => sum + chunks.reduce((all, { seconds }) => all + seconds, probeSeconds),
    0,
  );
