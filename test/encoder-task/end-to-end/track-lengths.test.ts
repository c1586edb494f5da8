import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkMedia } from '../../../encoder-task/verify/check-media.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { type LengthCase, lengthCases, lengthsQuery, writeLengthCase } from '../support/clips/length-cases.ts';
import { beepingAudio, beepTimes, decodeFrames, numberedVideo } from '../support/clips/numbered.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { streamsAndPackets } from '../support/ffmpeg.ts';
import { makeOutputs } from '../support/make-outputs.ts';

const files = useStoreAndFolder();

const packetSeconds = 1024 / 48_000;

describe('all renditions last as long as the longest track', () => {
  test.each(
    sampled(lengthCases, [
      'pictures that end early',
      'pictures that start late',
      'pictures of a variable rate that end early',
      'one picture with sound',
    ]),
  )('of a source with %s', async (_, source) => {
    const { seconds, fps = 25, shownAt, beeps } = source;
    const file = files.path(source.file);
    await writeLengthCase(source, file);
    const folder = `${file}.outputs`;
    const { plan } = await makeOutputs(files.store, file, lengthsQuery, folder);
    expect(plan.groups.flatMap(({ chunks }) => chunks).length).toBeGreaterThan(fps === 1 ? 0 : 1);
    expect(Math.abs(plan.durationSeconds - seconds)).toBeLessThan(0.1);
    expect((await checkMedia(folder)).problems).toEqual([]);

    const made = join(folder, 'outputs/mp4/video.mp4');
    const { frames, errors } = await decodeFrames(made);
    expect(errors).toBe('');
    expect(frames.map(({ number }) => number)).toEqual(frames.map((frame) => shownAt(frame.seconds)));
    const frameSeconds = 1 / fps;
    expect(frames[0]!.seconds).toBeLessThan(frameSeconds);
    expect(Math.abs(frames.at(-1)!.seconds + frameSeconds - plan.durationSeconds)).toBeLessThan(frameSeconds);

    expect((await beepTimes(made)).map((at) => Math.round(at * 10) / 10)).toEqual(beeps);
    const { packets } = await streamsAndPackets(made, 'a:0');
    const end = packets.at(-1)!.ptsSeconds + packetSeconds;
    expect(Math.abs(end - plan.durationSeconds)).toBeLessThan(packetSeconds);
  });
});

describe('a picture that is shown for long', () => {
  // The first two segments, 11 copies of the second one, and one of a single frame.
  const [seconds, segmentSeconds] = [27, 2];
  // AV1 has 64 lines at least
  const picture = [...numberedVideo(1 / 25, { first: 5 }), '-vf', 'scale=160:64:flags=neighbor,setsar=1'];

  test.each(
    sampled(
      [
        ['H.264', 'h264', 2],
        ['H.264 with key frames only', 'h264', 0.5],
        ['HEVC', 'hevc', 2],
        ['VP9', 'vp9', 2],
        ['AV1', 'av1', 2],
      ] as const,
      ['H.264'],
    ),
  )('is encoded once as %s, and its segments are repeated', async (_, codec, gop) => {
    const file = files.path(`picture-${codec}-${gop}.mp4`);
    const source: LengthCase = {
      file,
      video: picture,
      audio: beepingAudio(seconds),
      seconds,
      shownAt: () => 5,
      beeps: [],
    };
    await writeLengthCase(source, file);
    const video = [{ name: 'v', codec, width: 160, crf: 24, preset: 'ultrafast', gop }];
    const outputs = [{ format: 'hls', segment_duration: segmentSeconds }, { format: 'mp4' }];
    const folder = `${file}.outputs`;
    await makeOutputs(files.store, file, { video, outputs, audio: [{ name: 'a', codec: 'aac' }] }, folder);
    expect((await checkMedia(folder)).problems).toEqual([]);
    const { frames, errors } = await decodeFrames(join(folder, 'outputs/mp4/video.mp4'));
    expect(errors).toBe('');
    expect(frames).toEqual(Array.from({ length: seconds }, (_, second) => ({ number: 5, seconds: second })));
  });
});
