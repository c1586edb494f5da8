// A thread of the orchestration bench. Posts the workers' token, then puts as many jobs into the queue as each message says, and posts when they are.

import { parentPort } from 'node:worker_threads';
import { readParameter } from '../../functions/parameters.ts';
import { writePlan } from '../../functions/plans.ts';
import type { Plan } from '../../shared/plan.ts';
import { queueJob } from '../../shared/table/jobs.ts';
import { person } from '../fixtures/people.ts';
import { storedVideo } from '../fixtures/video.ts';

const segmentFrames = 60;
const rung = {
  ...{ name: 'v', codec: 'h264', width: 320, height: 180, crop: null, pad: null, profile: null, level: null },
  ...{ preset: 'ultrafast', pixelFormat: 'yuv420p' },
  rate: { mode: 'crf', crf: 30, maxBitrateBps: null, bufferBits: null },
};

/** A plan of as many chunks of one segment each, as far as queueing and leasing look at it. */
const planOf = (count: number) => ({
  ...{ originSeconds: 0, durationSeconds: 2 * count, aspectRatio: '16:9', audio: [], outputs: [], thumbnails: null },
  ...{ source: {}, warnings: [], streams: [] },
  groups: [
    {
      index: 0,
      grid: { frameRate: { num: 30, den: 1 }, timescale: 30, ticksPerFrame: 1, startTicks: 0, segmentFrames },
      rungs: [rung],
      chunks: Array.from({ length: count }, (_, index) => ({
        ...{ index, startFrame: index * segmentFrames, endFrame: (index + 1) * segmentFrames },
        ...{ startPts: 0, endPts: 0, seekSeconds: null, untilByte: null },
      })),
    },
  ],
});

const { user } = await person();
parentPort?.on('message', async (count: number) => {
  const { video } = await storedVideo(user, { status: 'running' });
  await writePlan(video.ulid, 1, planOf(count) as unknown as Plan);
  const facts = { kind: 'encode-video', taskToken: 'nobody waits', estimateSeconds: 1, workUnits: 1 } as const;
  for (let index = 0; index < count; index++) {
    const id = { videoUlid: video.ulid, run: 1, kind: 'encode-video', group: 0, index };
    await queueJob(id, { ...facts, ownerUlid: user.ulid, turnSeconds: index });
  }
  parentPort?.postMessage('queued');
});
parentPort?.postMessage(await readParameter('worker-token'));
