import { expect } from 'vitest';
import { type Quarters, shownPicture, shownVideo } from './clips/pictures.ts';
import { type Expected, seconds } from './clips/source-cases.ts';
import { beepSeconds, type ShownStream } from './ffmpeg.ts';
import { joinTrack } from './run-jobs.ts';
import { type Made, runPlan } from './run-plan.ts';
import { startStore } from './store.ts';

const longestOffsetSeconds = 0.04;
const longestDurationErrorSeconds = 0.1;

/**
 * Runs a file through probe, plan and all encodes, and compares the result with the source. Resolves with the result.
 */
export async function expectFaithful(source: string, query: unknown, expected: Expected): Promise<Made> {
  const store = await startStore();
  try {
    const made = await runPlan(store, source, query);
    const { plan } = made;
    const isSoundAlone = plan.groups.length === 0 && plan.audio.length > 0;
    const lastsSeconds = (isSoundAlone ? expected.audioSeconds : undefined) ?? expected.seconds ?? seconds;
    expect(Math.abs(plan.durationSeconds - lastsSeconds)).toBeLessThan(longestDurationErrorSeconds);
    expectWarnings(made, expected.warning);
    expect(made.probed.audio).toHaveLength(expected.audioTracks ?? 1);
    expect(made.audio.size).toBe(plan.audio.length);
    expect(made.probed.video !== null).toBe(expected.hasVideo !== false);

    const [videoFile, audioFile] = [`${source}.joined-video.mp4`, `${source}.joined-audio.mp4`];
    const [audio] = made.audio.values();
    if (audio) await joinTrack(store, audio, audioFile);
    let shown: ShownVideo | undefined;
    for (const [name, files] of made.video) {
      await joinTrack(store, files, videoFile);
      shown = await shownVideo(videoFile);
      expectEvenFrames(made, name, shown, expected);
    }
    expect(made.video.size).toBe(plan.groups.flatMap(({ rungs }) => rungs).length);
    if (!shown) return made;
    await expectSamePicture(shown, source);
    if (!audio) return made;
    const lateSeconds = (await beepSeconds(audioFile)) - flashSeconds(shown);
    expect(Math.abs(lateSeconds - (expected.beepLateSeconds ?? 0))).toBeLessThanOrEqual(longestOffsetSeconds);
    return made;
  } finally {
    await store.close();
  }
}

type ShownVideo = Awaited<ReturnType<typeof shownVideo>>;

function expectWarnings({ plan, warnings }: Made, part: string | undefined): void {
  const planned = plan.warnings.filter((warning) => !/are left out|is left out/.test(warning));
  const aboutInput = [...planned, ...warnings];
  if (part === undefined) expect(aboutInput).toEqual([]);
  // ffprobe 7 corrects a wrong duration in the header itself.
  else if (part !== 'declares a duration' || aboutInput.length > 0) expect(aboutInput.join()).toContain(part);
}

/** Decodes without errors, and has every frame from the first tick on without gaps. */
function expectEvenFrames({ plan }: Made, rung: string, shown: ShownVideo, expected: Expected): void {
  const group = plan.groups.find(({ rungs }) => rungs.some(({ name }) => name === rung))!;
  const { startTicks, ticksPerFrame } = group.grid;
  const frames = group.chunks.at(-1)!.endFrame;
  // a variable frame rate becomes a grid, whose frame rate gives the number of frames
  if ('frames' in expected ? expected.frames !== undefined : expected.seconds === undefined) {
    expect(frames).toBe(expected.frames ?? seconds * 25);
  }
  const times = shown.packets.map(({ pts }) => pts);
  expect(times).toEqual(Array.from({ length: frames }, (_, n) => startTicks + n * ticksPerFrame));
  expect(shown.errors).toBe('');
  expect(shown.frames).toHaveLength(frames);
}

/** Upright and with the right aspect ratio, compared with ffmpeg's output of the source. */
async function expectSamePicture({ frames, streams }: ShownVideo, source: string): Promise<void> {
  const original = await shownPicture(source);
  for (const [corner, level] of original.quarters.entries()) {
    expect(Math.abs(level - frames[0]![corner]!)).toBeLessThan(16);
  }
  const [video] = streams as [ShownStream];
  expect(video).toMatchObject({ sample_aspect_ratio: '1:1' });
  expect(video).not.toHaveProperty('side_data_list');
  const [width, height] = [Number(video.width), Number(video.height)];
  const shape = original.width / original.height;
  // rounding to even sizes changes each side by up to one pixel
  expect(Math.abs(width / height / shape - 1)).toBeLessThan(1.5 / width + 1.5 / height);
  expect(width % 2 === 0 && height % 2 === 0).toBe(true);
}

/** Presentation time of the first bright frame. */
function flashSeconds({ frames, packets }: ShownVideo): number {
  const isBright = (quarters: Quarters): boolean => quarters.reduce((sum, level) => sum + level, 0) / 4 > 128;
  return packets[frames.findIndex(isBright)]!.ptsSeconds;
}
