import { expect, test } from 'vitest';
import { checkResult } from '../../../lab/random-sources/checks/check-result.ts';
import type { Source } from '../../../lab/random-sources/description/source.ts';
import { expectedDecisions } from '../../../lab/random-sources/expectation/expected-decisions.ts';
import type { Result } from '../../../lab/random-sources/reading/read-result.ts';
import { sourceOf } from '../../../lab/random-sources/try-source.ts';
import { perfectResult } from './perfect-result.ts';

test('a perfect result of any source has no problem', () => {
  for (let number = 1; number <= 20; number++) {
    const source = sourceOf(1, number);
    expect([number, checkResult(source, perfectResult(source))]).toEqual([number, []]);
  }
});

/** A source with a video of 25 frames per second, two languages, a text, and nothing that needs a decision. */
const usual: Source = {
  number: 1,
  container: 'mkv',
  timescale: null,
  clockSeconds: 0,
  fpsCap: null,
  background: null,
  tracks: [
    {
      type: 'video',
      role: 'main',
      codec: 'h264',
      program: 1,
      isDefault: true,
      startSeconds: 0,
      rate: { num: 25, den: 1 },
      cadence: 'constant',
      numbers: Array.from({ length: 50 }, (_, n) => n),
      firstNumber: 0,
      change: null,
      colours: 'bt709',
      keyFrameEvery: 25,
      bFrames: 0,
      turn: 0,
      shape: { width: 160, height: 90, sampleAspectRatio: { num: 1, den: 1 } },
    },
    ...['eng', 'deu'].map((language, n) => ({
      type: 'audio' as const,
      codec: 'pcm' as const,
      program: 1,
      role: 'main' as const,
      isDefault: n === 0,
      language,
      channels: 2 as const,
      sampleRateHz: 48_000,
      startSeconds: 0,
      seconds: 2,
      firstHz: 430 + 310 * n,
      lastHz: 570 + 310 * n,
    })),
    { type: 'text', language: 'eng', isDefault: false, isForced: false, isTelemetry: false },
  ],
};

const frames = (result: Result) => result.video!.frames;
const swap = (result: Result, one: number, other: number): void => {
  const [a, b] = [frames(result)[one]!.pixels, frames(result)[other]!.pixels];
  [frames(result)[one]!.pixels, frames(result)[other]!.pixels] = [b, a];
};
const silence = (result: Result, fromShare: number, toShare: number): void => {
  const { samples } = result.audio[1]!;
  samples.fill(0, samples.length * fromShare, samples.length * toShare);
};

test.each<[string, (result: Result) => void, RegExp]>([
  [
    'a lost picture',
    (result) => (frames(result)[20]!.pixels = frames(result)[19]!.pixels),
    /1 of 50 pictures are lost: 20/,
  ],
  ['two pictures in the wrong order', (result) => swap(result, 10, 11), /picture 10 follows picture 11/],
  [
    'pictures that are late',
    (result) => {
      for (let n = 49; n > 0; n--) frames(result)[n]!.pixels = frames(result)[Math.max(0, n - 5)]!.pixels;
    },
    /pictures are 200 ms late/,
  ],
  [
    'a picture of another track',
    (result) => {
      for (const { pixels } of frames(result).slice(3, 4)) pixels.fill(255, 0, pixels.length / 2);
    },
    /1 of 50 frames show no picture of the source: 1023 at 0.120 s/,
  ],
  [
    'a wrong colour',
    (result) =>
      frames(result)
        .at(-1)!
        .pixels.fill(100, 85 * 48 * 1.8),
    /patch 0 of frame 49 is \(100,100,100\)/,
  ],
  [
    'another rate',
    (result) => {
      for (const [n, frame] of frames(result).entries()) frame.seconds = n / 24;
    },
    /the rate is 24.000/,
  ],
  ['a frame that lasts longer', (result) => (frames(result)[7]!.seconds += 0.01), /frame 6 lasts 0.0500 s/],
  [
    'a video that ends early',
    (result) => frames(result).splice(40),
    /the last frame ends at 1.600 s instead of 2.000 s/,
  ],
  ['a squeezed picture', (result) => (result.video!.sampleAspectRatio = 0.75), /shape 1.328 instead of 1.778/],
  ['no video', (result) => (result.video = null), /there is no video/],
  ['a missing language', (result) => result.audio.pop(), /there are 1 audio renditions instead of 2/],
  ['a language that is silent at its end', (result) => silence(result, 0.7, 1), /the tone of 880 Hz is not at 2.0 s/],
  ['a language that starts late', (result) => silence(result, 0, 0.05), /the audio starts at 0.100 s/],
  [
    'a sound where the source is silent',
    (result) => result.audio[0]!.samples.fill(3000, 12_000, 20_000),
    /is not silent/,
  ],
  ['a playlist that ends early', (result) => (result.ends[0]!.seconds = 1.5), /the DASH manifest ends at 1.500 s/],
  [
    'a decision too many',
    (result) => result.decisions.push({ code: 'picture_cropped', message: 'It is.' }),
    /has no cause/,
  ],
  ['a false warning', (result) => result.warnings.push('The audio (AAC) is damaged.'), /a warning without cause/],
  ['other colours in a rendition', (result) => (result.colours[1] = { color_space: 'smpte170m' }), /different colours/],
  ['colours without a name', (result) => (result.colours = [{ color_space: null }]), /do not name color_space/],
  ['no captions', (result) => (result.captions = []), /captions: none instead of subtitles en/],
  ['captions that are shown to all', (result) => (result.captions[0]!.isDefault = true), /a caption is the default/],
])('%s is a problem', (_, change, problem) => {
  const result = perfectResult(usual);
  change(result);
  expect(checkResult(usual, result).join('\n')).toMatch(problem);
});

test('a decision that a source needs must be there', () => {
  const [video, ...others] = usual.tracks;
  const source: Source = { ...usual, tracks: [{ ...video!, colours: 'untagged' } as Source['tracks'][0], ...others] };
  const result = perfectResult(usual);
  expect(checkResult(source, result)).toEqual(['there is no decision color_assumed']);
});

test.each([
  [50, 'frame_rate_capped'],
  [60, undefined],
])('a video of %i frames per second with a cap of 30 needs the decision %s', (num, code) => {
  const [video, ...others] = usual.tracks;
  const tracks = [{ ...video!, rate: { num, den: 1 } } as Source['tracks'][0], ...others];
  const { required } = expectedDecisions({ ...usual, tracks, fpsCap: 30 });
  expect([...required].find((one) => one.startsWith('frame_rate'))).toBe(code);
});

test('a description is never the main track', () => {
  const tracks = usual.tracks.map((track) =>
    track.type === 'audio' && track.language === 'deu' ? { ...track, role: 'description' as const } : track,
  );
  const source: Source = { ...usual, tracks };
  const result = perfectResult(source);
  result.audio[1]!.isDefault = true;
  expect(checkResult(source, result)).toEqual(['the description is the main audio track']);
});

test('behind transparent pictures is the colour that the template asks for', () => {
  const [video, ...others] = usual.tracks;
  const tracks = [{ ...video!, codec: 'png with alpha', colours: 'rgb' } as Source['tracks'][0], ...others];
  const [blue, black]: Source[] = [
    { ...usual, tracks, background: [10, 100, 200] },
    { ...usual, tracks },
  ];
  expect(checkResult(blue!, perfectResult(blue!))).toEqual([]);
  expect(checkResult(blue!, perfectResult(black!))).toEqual(['patch 1 of frame 0 is (0,0,0) instead of (10,100,200)']);
});

test('colours of HDR may be brighter or darker, but no others', () => {
  const [video, ...others] = usual.tracks;
  const hdr: Source = {
    ...usual,
    tracks: [{ ...video!, codec: 'hevc', colours: 'pq' } as Source['tracks'][0], ...others],
  };
  const after = (change: (value: number, channel: number) => number): string[] => {
    const result = perfectResult(hdr);
    const changed = new Map(
      frames(result).map(({ pixels }) => [pixels, Buffer.from(pixels.map((value, n) => change(value, n % 3)))]),
    );
    for (const frame of frames(result)) frame.pixels = changed.get(frame.pixels)!;
    return checkResult(hdr, result);
  };
  expect(after((value) => value * 0.8)).toEqual([]);
  expect(after((value, channel) => (channel === 1 ? value * 0.8 : value))[0]).toContain('patch 3 of frame 0');
  expect(after((value, channel) => (channel === 0 ? value * 0.2 : value))[0]).toContain('patch 0 of frame 0');
});
