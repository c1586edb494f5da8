import { expect } from 'vitest';
import { beepTimes, decodeFrames, type ShownFrame, shownFrames } from './clips/numbered.ts';
import { joinTrack } from './run-jobs.ts';
import { type Made, runPlan } from './run-plan.ts';
import { startStore } from './store.ts';

/** Two chunks of six seconds. */
const query = {
  version: 1,
  video: [{ name: 'v', codec: 'h264', height: 64, preset: 'ultrafast', gop: 1, crf: 26 }],
  audio: [{ name: 'a', codec: 'aac', bitrate: '96k', channels: 1 }],
  outputs: [{ format: 'hls', segment_duration: 2 }],
  chunk_duration: 4,
};

const longestOffsetSeconds = 0.04;

type Expected = {
  /** number of output frames; by default that of the frames that ffmpeg decodes */
  frames?: number;
  /** numbers on the frames; by default each frame is at ffmpeg's time */
  numbers?: number[];
  /** start times of beeps; by default those that ffmpeg decodes */
  beeps?: number[];
  /** a part of one warning; by default there must be none */
  warning?: string;
};

/**
 * Warnings that are right with FFmpeg 7 alone: its ffprobe marks the last packet before a joint of two recordings as
 * incomplete, because their counters differ, and it does not return two of the first frames without a key frame.
 */
const isOfFfmpeg7 = (warning: string): boolean =>
  /^(The file is damaged: [1-4] of its packets are|Between 0.0 s and 2.0 s, 2 of 50 frames cannot be decoded)/.test(
    warning,
  );

/**
 * Runs a file with numbered frames and beeps through probe, plan and all encodes, and checks that each frame and beep
 * is at ffmpeg's time.
 */
export async function expectAsFfmpeg(
  source: string,
  { frames, numbers, beeps, warning }: Expected = {},
): Promise<Made> {
  const store = await startStore();
  try {
    const made = await runPlan(store, source, query);
    const [video] = made.video.values();
    const [audio] = made.audio.values();
    if (video) {
      const joined = `${source}.joined-video.mp4`;
      await joinTrack(store, video, joined);
      const { frames: shown, errors } = await decodeFrames(joined, '-xerror', '-copyts');
      expect(errors).toBe('');
      if (numbers) expect(shown.map(({ number }) => number)).toEqual(numbers);
      else expectFrames(shown, await shownFrames(source), made, frames);
    }
    if (audio) {
      const joined = `${source}.joined-audio.mp4`;
      await joinTrack(store, audio, joined);
      expectBeeps(await beepTimes(joined, '-copyts'), beeps ?? (await beepTimes(source)));
    }
    const warnings = [...made.probed.warnings, ...made.warnings].filter((found) => !isOfFfmpeg7(found));
    if (warning === undefined) expect(warnings).toEqual([]);
    else expect(warnings.join()).toContain(warning);
    return made;
  } finally {
    await store.close();
  }
}

/** A frame is repeated until the next one, which is at the nearest time of the output frame rate. */
function expectFrames(made: ShownFrame[], source: ShownFrame[], { plan }: Made, frames = source.length): void {
  const { num, den } = plan.groups[0]!.grid.frameRate;
  const startSeconds = source[0]!.seconds;
  // without audio, the output starts with the first frame
  const offsetSeconds = plan.audio.length > 0 ? startSeconds : 0;
  expect(Math.abs(made[0]!.seconds - offsetSeconds)).toBeLessThanOrEqual(longestOffsetSeconds);
  const due = source.map(({ number, seconds }) => ({ number, at: Math.round(((seconds - startSeconds) * num) / den) }));
  const expected = made.map((_, n) => due.findLast(({ at }) => at <= n)?.number);
  expect(made.map(({ number }) => number)).toEqual(expected);
  expect(made).toHaveLength(frames);
}

function expectBeeps(made: number[], source: number[]): void {
  expect(made).toHaveLength(source.length);
  for (const [n, seconds] of made.entries()) {
    expect(Math.abs(seconds - source[n]!)).toBeLessThanOrEqual(longestOffsetSeconds);
  }
}
