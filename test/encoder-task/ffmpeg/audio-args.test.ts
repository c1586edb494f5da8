import { expect, test } from 'vitest';
import {
  type AudioRun,
  encodeAudioArgs,
  measureLoudnessArgs,
  pcmArgs,
} from '../../../encoder-task/ffmpeg/audio-args.ts';
import { readLoudness } from '../../../encoder-task/ffmpeg/output/loudness.ts';

const audioRun: AudioRun = {
  rendition: {
    name: 'a0',
    streamIndex: 1,
    codec: 'aac',
    bitrateBps: 128_000,
    channels: 2,
    sampleRateHz: 48_000,
    language: 'en',
    loudnessLufs: null,
    segmentSeconds: 6,
  },
  originSeconds: 1.4,
  isChained: false,
  shortestGapSeconds: 0.02,
  run: 1,
  durationSeconds: 60,
  input: { sourceUrl: 'http://127.0.0.1:1234/secret' },
};

const graphOf = (args: string[]): string => args[args.indexOf('-filter_complex') + 1]!;

test('no track ends with a segment of less than a quarter of a second, for which hls.js waits forever', () => {
  const segmentSeconds = (durationSeconds: number): number => {
    const args = encodeAudioArgs({ ...audioRun, durationSeconds }, null);
    return Number(args[args.indexOf('-hls_time') + 1]);
  };
  for (const seconds of [59, 60.3, 65.9, 4]) expect(segmentSeconds(seconds)).toBe(6);
  expect(segmentSeconds(60)).toBeCloseTo(6.0032, 4);
  expect(segmentSeconds(12.012)).toBeCloseTo(6.022, 4);
  expect(segmentSeconds(59.99)).toBeCloseTo(6.0022, 4);
});

test('the whole track is placed on the output clock, with silence in gaps', () => {
  const args = encodeAudioArgs(audioRun, null);
  expect(graphOf(args)).toBe(
    '[0:1]asetpts=PTS-(1.400000000)/TB,aresample=48000:async=1:min_hard_comp=0.02:first_pts=0,apad=whole_dur=60.000000,atrim=end=60.000000,aformat=channel_layouts=stereo[a]',
  );
  expect(args.slice(args.indexOf('-c:a'))).toEqual([
    ...['-c:a', 'aac', '-b:a', '128000', '-avoid_negative_ts', 'disabled'],
    ...['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_playlist_type', 'vod', '-hls_flags', 'temp_file'],
    ...['-hls_time', '6.003200', '-hls_segment_options', 'movflags=+skip_sidx', '-hls_fmp4_init_filename', 'init.mp4'],
    ...['-hls_segment_filename', 'a0/%05d.m4s', 'a0/list.m3u8'],
  ]);
});

test('Opus with more than two channels signals their layout', () => {
  const surround: AudioRun = { ...audioRun, rendition: { ...audioRun.rendition, codec: 'opus', channels: 6 } };
  const args = encodeAudioArgs(surround, null);
  expect(args).toContain('-mapping_family');
  expect(graphOf(args)).toContain('channel_layouts=5.1');
});

test('loudness is measured first and then corrected with one gain', () => {
  const loud: AudioRun = { ...audioRun, rendition: { ...audioRun.rendition, loudnessLufs: -16 } };
  expect(graphOf(measureLoudnessArgs(loud))).toMatch(
    /channel_layouts=stereo,loudnorm=I=-16:TP=-1\.5:LRA=11:print_format=json\[a\]$/,
  );
  const measured = readLoudness(
    'x\n{\n"input_i" : "-30.1",\n"input_tp" : "-12.0",\n"input_lra" : "3.0",\n"input_thresh" : "-41",\n"target_offset" : "0.2"\n}\n',
  );
  expect(graphOf(encodeAudioArgs(loud, measured))).toContain(
    'loudnorm=I=-16:TP=-1.5:LRA=11:measured_I=-30.1:measured_TP=-12:measured_LRA=3:measured_thresh=-41:offset=0.2:linear=true,' +
      'aformat=channel_layouts=stereo,aresample=48000',
  );
});

test('silence has no measurement and is encoded unchanged', () => {
  expect(readLoudness('{"input_i" : "-inf", "input_tp" : "-inf"}')).toBeNull();
  expect(readLoudness('no report')).toBeNull();
  const silent: AudioRun = { ...audioRun, rendition: { ...audioRun.rendition, loudnessLufs: -16 } };
  expect(graphOf(encodeAudioArgs(silent, null))).not.toContain('loudnorm');
});

const pair: AudioRun = { ...audioRun, rendition: { ...audioRun.rendition, joined: [1, 3] } };
const clock =
  'asetpts=PTS-(1.400000000)/TB,aresample=48000:async=1:min_hard_comp=0.02:first_pts=0,apad=whole_dur=60.000000,atrim=end=60.000000';

test('mono tracks are joined when each is on the output clock', () => {
  expect(graphOf(encodeAudioArgs(pair, null))).toBe(
    [
      `[0:1]${clock},aformat=channel_layouts=mono,asetnsamples=1024:p=0[c0]`,
      `[0:3]${clock},aformat=channel_layouts=mono,asetnsamples=1024:p=0[c1]`,
      '[c0][c1]join=inputs=2:channel_layout=stereo:map=0.0-FL|1.0-FR,aformat=channel_layouts=stereo[a]',
    ].join(';'),
  );
  expect(graphOf(measureLoudnessArgs(pair))).toContain('map=0.0-FL|1.0-FR,aformat=channel_layouts=stereo,loudnorm=');
});

test('a PCM copy has mono tracks apart, and they are joined from it', () => {
  const args = pcmArgs(pair, { sourceUrl: 'http://127.0.0.1:1234/secret' }, 'pcm.nut');
  const format = 'aformat=sample_rates=48000:channel_layouts=mono';
  expect(graphOf(args)).toBe(`[0:1]${format}[a0];[0:3]${format}[a1]`);
  expect(args.filter((_, index) => args[index - 1] === '-map')).toEqual(['[a0]', '[a1]']);
  const second = graphOf(encodeAudioArgs({ ...pair, run: 2, input: { pcmFile: 'pcm.nut' } }, null));
  expect(second.split(';').map((part) => part.slice(0, 5))).toEqual(['[0:0]', '[0:1]', '[c0][']);
});
