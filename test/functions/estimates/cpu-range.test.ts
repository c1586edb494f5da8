import { expect, test } from 'vitest';
import { type CpuWork, cpuRange } from '../../../functions/estimates/cpu-range.ts';
import { estimateVideo } from '../../../functions/estimates/estimate-video.ts';
import { estimatedCpuSeconds } from '../../../functions/planning/estimated-cpu-seconds.ts';
import { planRungs } from '../../../functions/planning/video/rungs.ts';
import { presets } from '../../../functions/templates/presets.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import { workloads } from '../../../tools/cost/workloads.ts';

const task = { cpuUnits: 4096, memoryMib: 8192, scratchGib: 50 };

test.each(presets.map(({ slug, query }): [string, object] => [slug, query]))(
  'the measured CPU seconds of %s are within the range',
  (slug, query) => {
    const source = { width: 1920, height: 1080, fps: 30, durationSeconds: 600 };
    const { cpuSeconds } = estimateVideo(templateQuerySchema.parse(query), source, { task, hasSpeechModel: true });
    const measured = 10 * workloads.find(({ template }) => template === slug)!.cpuSecondsPerMinute;
    expect(measured).toBeGreaterThan(cpuSeconds.min);
    expect(measured).toBeLessThan(cpuSeconds.max);
  },
);

function workOf(entry: object, chunks: number): CpuWork {
  const { video } = templateQuerySchema.parse({ video: [{ name: 'v', ...entry }], outputs: [{ format: 'hls' }] });
  const frameRate = { num: 30, den: 1 };
  const rungs = planRungs(video, 'contain', { display: { width: 1280, height: 720 }, frameRate });
  const grid = { frameRate } as CpuWork['groups'][number]['grid'];
  return {
    groups: [{ grid, rungs: rungs.map(({ rung }) => rung), startFrame: 0, endFrame: 1800, chunks }],
    audioRenditions: 0,
    hasThumbnails: false,
    seeks: 0,
    durationSeconds: 60,
  };
}

test('the estimates of the chunks of a plan are within the range', () => {
  const work = workOf({ codec: 'h264', bitrate: '2M' }, 2);
  const [{ grid, rungs }] = work.groups as [CpuWork['groups'][number]];
  const chunks = [
    { startFrame: 0, endFrame: 900 },
    { startFrame: 900, endFrame: 1800 },
  ];
  const planned = chunks.reduce((sum, chunk) => sum + estimatedCpuSeconds(chunk, grid, rungs), 0);
  const { min, max } = cpuRange(work);
  expect([min < planned, planned < max]).toEqual([true, true]);
  // Each further chunk starts ffmpeg once more.
  expect(cpuRange(workOf({ codec: 'h264', bitrate: '2M' }, 5)).min - min).toBeCloseTo(3, 9);
});

test('a second pass, audio and thumbnails add to the range', () => {
  const [once, twice] = [false, true].map((two_pass) =>
    cpuRange(workOf({ codec: 'h264', bitrate: '2M', two_pass }, 1)),
  );
  expect(twice!.max).toBeGreaterThan(1.8 * once!.max);
  const work = workOf({ codec: 'h264', bitrate: '2M' }, 1);
  expect(cpuRange({ ...work, audioRenditions: 2 }).max - once!.max).toBeCloseTo(7, 9);
  expect(cpuRange({ ...work, hasThumbnails: true }).min).toBeGreaterThan(once!.min);
  expect(cpuRange({ ...work, seeks: 10 }).max - once!.max).toBeCloseTo(30, 9);
});
