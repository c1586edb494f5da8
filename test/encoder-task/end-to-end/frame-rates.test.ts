import { describe, expect, test } from 'vitest';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { decodeFrames, numberedVideo, type ShownFrame, shownFrames } from '../support/clips/numbered.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { joinTrack } from '../support/run-jobs.ts';
import { type Made, runPlan } from '../support/run-plan.ts';
import { startStore } from '../support/store.ts';

const files = useStoreAndFolder();

const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-threads', '1', '-g', '60'];
/** Keeps the times that a filter sets. */
const exactTimes = ['-fps_mode', 'passthrough', '-enc_time_base', '1:90000'];

async function clip(name: string, seconds: number, rate: string, ...args: string[]): Promise<string> {
  const file = files.path(name);
  await ffmpeg(...numberedVideo(seconds, { rate }), ...x264, ...args, file);
  return file;
}

type Encoded = Made & { source: ShownFrame[]; shown: ShownFrame[]; fps: number };

/** Encodes a file in chunks of four seconds, with at most `fps` frames per second. */
async function encode(file: string, fps?: number): Promise<Encoded> {
  const store = await startStore();
  try {
    const video = { name: 'v', codec: 'h264', height: 64, preset: 'ultrafast', gop: 1, crf: 26, fps };
    const outputs = [{ format: 'hls', segment_duration: 2 }];
    const made = await runPlan(store, file, { video: [video], outputs, chunk_duration: 4 });
    await joinTrack(store, made.video.get('v')!, `${file}.made.mp4`);
    const { frames: shown, errors } = await decodeFrames(`${file}.made.mp4`, '-xerror', '-copyts');
    expect([errors, made.warnings]).toEqual(['', []]);
    const { num, den } = made.plan.groups[0]!.grid.frameRate;
    return { ...made, source: await shownFrames(file), shown, fps: num / den };
  } finally {
    await store.close();
  }
}

/** The numbers without repeats. */
const inOrder = (frames: ShownFrame[]): number[] =>
  frames.flatMap(({ number }, n) => (number === frames[n - 1]?.number ? [] : [number]));

const rateDecisions = ({ decisions = [] }: Made['plan']) =>
  decisions.filter(({ code }) => code.startsWith('frame_rate'));

describe('every picture of a variable frame rate appears in order and at its time', () => {
  const cases: [what: string, name: string, rate: string, seconds: number, filter: string, fps: number][] = [
    ['60 fps without every eighth frame', 'drops.mp4', '60', 8, "select='mod(n,8)-7'", 60],
    // half a frame late, in milliseconds
    ['the same in Matroska, starting late', 'drops.mkv', '60', 8, "select='mod(n,8)-7',setpts=PTS+0.0083/TB", 60],
    ['a screen that scrolls at 40 fps at times', 'screen.mkv', '40', 8, "select='lt(mod(t,2),0.5)+not(mod(n,8))'", 40],
    ['five pictures, three of them 0.1 s apart', 'static.mp4', '10', 10, "select='lt(n,3)+eq(n,50)+eq(n,99)'", 10],
  ];
  test.concurrent.each(
    sampled(cases, ['the same in Matroska, starting late', 'five pictures, three of them 0.1 s apart']),
  )('%s', async (_, name, rate, seconds, filter, expected) => {
    const { source, shown, fps, plan } = await encode(await clip(name, seconds, rate, '-vf', filter, ...exactTimes));
    expect(fps).toBe(expected);
    expect(plan.groups[0]!.chunks.length).toBeGreaterThan(1);
    expect(inOrder(shown)).toEqual(source.map(({ number }) => number));
    for (const { number, seconds: at } of source) {
      const made = shown.find((frame) => frame.number === number)!;
      expect(Math.abs(made.seconds - (at - source[0]!.seconds))).toBeLessThan(0.25 / fps);
    }
    expect(rateDecisions(plan)).toMatchObject([{ code: 'frame_rate_chosen', facts: { fps: expected } }]);
  });
});

describe('a frame rate above that of the template is reduced to every n-th frame', () => {
  const cases: [source: string, name: string, cap: number, fps: number, every: number][] = [
    ['50', 'from50.mp4', 30, 25, 2],
    // times in milliseconds are up to half a millisecond off
    ['60000/1001', 'from59.mkv', 30, 30_000 / 1001, 2],
    ['144', 'from144.mkv', 60, 48, 3],
    ['120', 'from120.mp4', 60, 60, 2],
  ];
  test.concurrent.each(sampled(cases, ['60000/1001']))('%s', async (rate, name, cap, expected, every) => {
    const { source, shown, fps, plan } = await encode(await clip(name, 6, rate), cap);
    expect(fps).toBeCloseTo(expected, 6);
    expect(plan.groups[0]!.chunks.length).toBeGreaterThan(1);
    expect(shown.map(({ number }) => number)).toEqual(
      source.flatMap(({ number }, n) => (n % every === 0 ? [number] : [])),
    );
  });

  test('from a variable rate, on the grid of the source', async () => {
    const file = await clip('both.mkv', 6, '60', '-vf', "select='mod(n,8)-7'", ...exactTimes);
    const { shown, fps, plan } = await encode(file, 30);
    expect(fps).toBe(30);
    // numbers 7, 15 and so on do not exist, so no even one is missing
    expect(shown.map(({ number }) => number)).toEqual(Array.from({ length: 180 }, (_, n) => 2 * n));
    expect(rateDecisions(plan)).toMatchObject([{ code: 'frame_rate_chosen' }]);
  });
});
