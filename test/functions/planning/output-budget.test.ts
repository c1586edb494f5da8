import { describe, expect, test } from 'vitest';
import { maxOutputAudioSeconds } from '../../../functions/planning/output-budget.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { maxOutputFrames } from '../../../functions/planning/video/frame-rate.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import type { AudioTrack, FrameIndex, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { audioTrack, probeOf, videoTrack } from './source-fixture.ts';

const query = templateQuerySchema.parse({
  video: [{ name: 'v360', codec: 'h264', height: 360, bitrate: '800k' }],
  audio: [{ name: 'stereo', codec: 'aac', languages: 'all' }],
  outputs: [{ format: 'hls' }],
});

const plan = (sizeBytes: number, video: VideoTrack | null, audio: AudioTrack[] = []) =>
  planVideo({ probe: probeOf({ sizeBytes, video, audio }), frames: video && indexOf(video), query, capacity: 4 });

const planned = (...source: Parameters<typeof plan>): number => plan(...source).groups[0]?.chunks.at(-1)?.endFrame ?? 0;

/** `frameCount` frames in a time that no camera's rate explains, encoded at `fps`. */
function still(frameCount: number, seconds: number, fps = 1): VideoTrack {
  const timeBase = { num: 1, den: 1000 };
  const rate = { averageFrameRate: { num: fps, den: 1 }, constantFrameRate: false };
  return { ...videoTrack({ frameCount, timeBase, ...rate }), endPts: seconds * 1000 };
}

const indexOf = ({ frameCount, endPts }: VideoTrack): FrameIndex => ({
  ptsDeltas: [0, ...Array(frameCount - 1).fill(Math.floor(endPts / frameCount))],
  endByteDeltas: Array(frameCount).fill(1),
  keyFrames: Array.from({ length: frameCount }, (_, frame) => frame),
});

const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'INPUT_TOO_LARGE', fatal: true, message: expect.stringMatching(message) });

describe('repeated frames', () => {
  test('two frames in 28 hours are refused, with the planned and the allowed number of frames', () => {
    expect(() => plan(4660, still(2, 100_001))).toThrow(
      refused(
        /^The video has 2 frames in 27\.8 hours\. At 1 fps that would become 100001 frames; a file of this size may become 5093\. Cut out .+\.$/,
      ),
    );
  });

  test('the budget is accepted, one frame more is refused', () => {
    const most = maxOutputFrames(4660, 2);
    expect(planned(4660, still(2, most))).toBe(most);
    expect(() => plan(4660, still(2, most + 1))).toThrow(refused(/2 frames/));
  });

  test('the budget grows with stored frames and bytes, beyond thirty hours of slides only with bytes', () => {
    expect(maxOutputFrames(0, 2)).toBe(3600 + 2 + 1200);
    expect(maxOutputFrames(0, 180)).toBe(3600 + 180 + 108_000);
    expect(maxOutputFrames(0, 10_000)).toBe(3600 + 10_000 + 108_000);
    expect(maxOutputFrames(1_600_000, 10_000)).toBe(3600 + 10_000 + 108_000 + 100_000);
  });

  test.each<[string, number, VideoTrack]>([
    ['a slide every ten minutes for thirty hours, 200 bytes each', 180 * 200, still(180, 180 * 600)],
    ['a picture for an hour, without a sound', 2000, still(1, 3600)],
    ['a lecture at a frame a second for a day', 24 * 3600 * 40, still(24 * 3600, 24 * 3600)],
    ['ten seconds of a moving screen at 30 frames a second, then an hour of none', 60_000, still(301, 3610, 30)],
    [
      'half an hour of a moving screen in a day of eight hours, at 60 frames a second',
      30e6,
      still(108_000, 28_800, 60),
    ],
  ])('%s are accepted', (_, sizeBytes, track) => {
    expect(() => plan(sizeBytes, track)).not.toThrow();
  });

  test.each<[string, number, VideoTrack, number]>([
    ['a cover with ten minutes of sound at 64 kbit/s', 4.8e6, still(1, 1, 25), 600],
    ['a cover with six hours of speech at 16 kbit/s', 43e6, still(1, 1, 25), 6 * 3600],
    ['six seconds at 60 frames a second with twenty minutes of sound', 9.6e6, still(360, 6, 60), 1200],
  ])('%s are accepted, and fill the length of the sound', (_, sizeBytes, track, durationSeconds) => {
    const { groups } = plan(sizeBytes, track, [audioTrack({ durationSeconds })]);
    const { grid, chunks } = groups.at(-1)!;
    expect((chunks.at(-1)!.endFrame * grid.ticksPerFrame) / grid.timescale).toBe(durationSeconds);
  });

  test('a picture with a sound that begins a day later is refused', () => {
    expect(() => plan(5000, still(1, 1, 25), [audioTrack({ startSeconds: 86_400, durationSeconds: 1 })])).toThrow(
      refused(/would become 86401 frames/),
    );
  });

  test('a hundred frames at 240 fps with a gap of a day are refused, not 5 million frames', () => {
    expect(() => plan(20_000, still(100, 86_400, 240))).toThrow(refused(/would become 5184000 frames/));
  });
});

describe('silence', () => {
  const most = maxOutputAudioSeconds(5000);

  test('a small file with two days of silence is refused', () => {
    expect(() => plan(5000, null, [audioTrack({ durationSeconds: 172_800 })])).toThrow(
      refused(
        /^The audio would last 48 hours in all tracks together\. A file of this size may become 4\.1 hours of audio\./,
      ),
    );
  });

  test('the budget is accepted, one second more is refused', () => {
    expect(plan(5000, null, [audioTrack({ durationSeconds: most })]).durationSeconds).toBe(most);
    expect(() => plan(5000, null, [audioTrack({ durationSeconds: most + 1 })])).toThrow(refused(/audio/));
  });

  test('silence before the first packet counts too', () => {
    const late = audioTrack({ streamIndex: 2, startSeconds: most, durationSeconds: 1 });
    expect(() => plan(5000, null, [audioTrack({ durationSeconds: 10 }), late])).toThrow(refused(/audio/));
  });

  test('a short track is continued as long as the others, which counts too', () => {
    const short = audioTrack({ streamIndex: 2, durationSeconds: 10 });
    const tracks = [audioTrack({ durationSeconds: most / 2 }), short];
    expect(() => plan(5000, null, tracks)).not.toThrow();
    expect(() => plan(5000, null, [...tracks, { ...short, streamIndex: 3 }])).toThrow(refused(/audio/));
  });

  test('a source track counts once for any number of renditions', () => {
    const tracks = [1, 2].map((streamIndex) => audioTrack({ streamIndex, durationSeconds: most / 2 }));
    expect(() => plan(5000, null, tracks)).not.toThrow();
    const more = [1, 2, 3].map((streamIndex) => audioTrack({ streamIndex, durationSeconds: most / 2 }));
    expect(() => plan(5000, null, more)).toThrow(refused(/audio/));
  });

  test('nine languages of a film and a day of speech at 6 kbit/s are accepted', () => {
    const languages = Array.from({ length: 9 }, (_, index) =>
      audioTrack({ streamIndex: index + 1, durationSeconds: 3 * 3600 }),
    );
    expect(() => plan(500e6, still(259_200, 10_800, 24), languages)).not.toThrow();
    expect(() => plan((24 * 3600 * 6000) / 8, null, [audioTrack({ durationSeconds: 24 * 3600 })])).not.toThrow();
  });
});
