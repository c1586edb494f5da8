import { describe, expect, test } from 'vitest';
import { mixingOf } from '../../../../functions/planning/audio/audio-mix.ts';
import { planVideo } from '../../../../functions/planning/plan-video.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';
import { audioTrack, probeOf } from '../source-fixture.ts';

/** The inputs of each output, with their gains in hundredths. */
const wiring = (channels: number, channelLayout: string | null | undefined, asked: number) =>
  mixingOf({ channels, channelLayout }, asked).mix?.map((inputs) =>
    inputs.map(({ input, gain }) => `${input}×${Math.round(gain * 100)}`).join(' '),
  );

describe('FFmpeg mixes the layouts that it knows', () => {
  test.each([
    [8, '7.1', 8, 8],
    [8, '7.1', 2, 2],
    [6, '5.1(side)', 8, 6],
    [2, null, 2, 2],
    [1, null, 8, 1],
    [8, undefined, 8, 8],
  ])('%i channels of %s, %i requested', (channels, channelLayout, asked, made) => {
    expect(mixingOf({ channels, channelLayout }, asked)).toEqual({ mix: null, channels: made, warning: null });
  });
});

describe('channels without a layout', () => {
  test('of sixteen, the first eight are used in order', () => {
    expect(wiring(16, null, 8)).toEqual(['0×100', '1×100', '2×100', '3×100', '4×100', '5×100', '6×100', '7×100']);
    expect(mixingOf({ channels: 16, channelLayout: null }, 8)).toMatchObject({
      channels: 8,
      warning:
        'The audio has 16 channels without a channel layout: the first 8 are used as 7.1, the others are left out.',
    });
  });

  test('all are mixed into stereo and mono', () => {
    expect(wiring(10, null, 2)).toEqual(['0×20 2×20 4×20 6×20 8×20', '1×20 3×20 5×20 7×20 9×20']);
    expect(wiring(10, null, 1)).toEqual([Array.from({ length: 10 }, (_, input) => `${input}×10`).join(' ')]);
  });

  test('up to eight get the standard layout of their count', () => {
    expect(wiring(6, null, 2)).toEqual(['0×100', '1×100', '2×100', '3×100', '4×100', '5×100']);
    expect(mixingOf({ channels: 6, channelLayout: null }, 2)).toMatchObject({
      channels: 2,
      warning: 'The audio has 6 channels without a channel layout: they are taken for 5.1.',
    });
  });
});

describe('speakers that 7.1 does not have', () => {
  test('height speakers are mixed into those below them, and all gains are scaled together', () => {
    const layout = '12 channels (FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR+TBL+TBR)';
    expect(wiring(12, layout, 8)).toEqual([
      '0×59 8×41',
      '1×59 9×41',
      '2×59',
      '3×59',
      '4×59 10×41',
      '5×59 11×41',
      '6×59',
      '7×59',
    ]);
    expect(mixingOf({ channels: 12, channelLayout: layout }, 8)).toMatchObject({
      channels: 8,
      warning: 'The 12 channels of the audio (FL, FR, FC, LFE, BL, BR, SL, SR, TFL, TFR, TBL, TBR) are mixed to 7.1.',
    });
  });

  test('a second subwoofer is mixed into the first, and every speaker of 22.2 is mixed', () => {
    const outputs = wiring(24, '22.2', 8)!;
    expect(outputs[3]).toMatch(/^3×\d+ 18×\d+$/);
    const heard = new Set(outputs.flatMap((output) => output.split(' ').map((term) => term.split('×')[0])));
    expect(heard.size).toBe(24);
  });

  test('5.1.2 becomes six channels', () => {
    const layout = '8 channels (FL+FR+FC+LFE+BL+BR+TFL+TFR)';
    expect(mixingOf({ channels: 8, channelLayout: layout }, 8).channels).toBe(6);
    expect(wiring(8, layout, 8)).toHaveLength(6);
  });

  test('ambisonics are mixed to stereo', () => {
    expect(wiring(16, 'ambisonic 3', 8)).toEqual(['0×50 1×50', '0×50 1×-50']);
    expect(mixingOf({ channels: 16, channelLayout: 'ambisonic 3' }, 8).channels).toBe(2);
  });
});

test('the warning appears once for any number of renditions', () => {
  const query = templateQuerySchema.parse({
    audio: [
      { name: 'a', codec: 'aac', channels: 8 },
      { name: 'b', codec: 'opus', channels: 8 },
    ],
    outputs: [{ format: 'hls' }],
  });
  const probe = probeOf({ audio: [audioTrack({ channels: 16, channelLayout: null })] });
  const { warnings, audio } = planVideo({ probe, frames: null, query, capacity: 4 });
  expect(warnings).toHaveLength(1);
  expect(audio.map(({ channels, mix }) => [channels, mix?.length])).toEqual([
    [8, 8],
    [8, 8],
  ]);
});
