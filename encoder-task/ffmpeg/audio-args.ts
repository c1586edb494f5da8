import { type AudioCodec, audioCodecFacts } from '../../shared/media/codecs.ts';
import type { AudioRendition } from '../../shared/protocol/encode-spec.ts';
import { untrustedInputArgs } from './input-args.ts';
import type { Loudness } from './output/loudness.ts';

/** Where a track is read from: the source, or our own copy of the track as plain samples. */
export type AudioInput = { sourceUrl: string } | { flatFile: string };
/**
 * `durationSeconds` is when the track ends on the output clock. `isChained`: the source's times start again on the way, and FFmpeg has to make them go on;
 * its clock then starts with the track.
 */
export type AudioRun = {
  rendition: AudioRendition;
  originSeconds: number;
  durationSeconds: number;
  isChained: boolean;
  input: AudioInput;
};

/**
 * argv that encodes a whole track to `<name>/<number>.m4s`. The output clock starts at 0: what lies before is cut, what is missing is
 * silence, up to the planned end too. The encoder's priming comes before that and is taken off by the edit list of the init segment, so decode times start at 0 too.
 */
export function encodeAudioArgs(audioRun: AudioRun, loudness: Loudness | null): string[] {
  const { rendition } = audioRun;
  const filters = [
    ...clockFilters(audioRun),
    ...(rendition.loudnessLufs === null ? [] : [normalise(rendition, loudness)]),
  ];
  return [
    ...inputArgs(audioRun),
    ...['-filter_complex', `${inputPad(audioRun)}${[...filters, ...formatFilters(rendition)].join(',')}[a]`],
    ...['-map', '[a]', '-map_metadata', '-1', '-map_chapters', '-1'],
    ...encoderArgs(rendition),
    ...['-avoid_negative_ts', 'disabled'],
    ...['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_playlist_type', 'vod', '-hls_flags', 'temp_file'],
    ...['-hls_time', String(rendition.segmentSeconds), '-hls_segment_options', 'movflags=+skip_sidx'],
    ...['-hls_fmp4_init_filename', 'init.mp4'],
    ...['-hls_segment_filename', `${rendition.name}/%05d.m4s`, `${rendition.name}/list.m3u8`],
  ];
}

/** argv of loudnorm's first pass; it prints what it measured as JSON to stderr. */
export function measureLoudnessArgs(audioRun: AudioRun): string[] {
  const { rendition } = audioRun;
  const filters = [
    ...clockFilters(audioRun),
    ...layoutFilters(rendition),
    `${normalise(rendition, null)}:print_format=json`,
  ];
  return [
    ...['-v', 'info'],
    ...inputArgs(audioRun),
    ...['-filter_complex', `${inputPad(audioRun)}${filters.join(',')}[a]`, '-map', '[a]', '-f', 'null', '-'],
  ];
}

/** argv that measures a finished track in the job's folder by EBU R128; it prints a summary to stderr. */
export const measureFinishedArgs = ({ name }: Pick<AudioRendition, 'name'>): string[] => [
  ...['-v', 'info', '-protocol_whitelist', 'file', '-format_whitelist', 'hls,mov', '-i', `${name}/list.m3u8`],
  ...['-af', 'ebur128=framelog=verbose', '-f', 'null', '-'],
];

/**
 * argv that copies the track to plain samples of one rate and layout, each block with its time in the source. Broadcasts change between two and
 * six channels; ffmpeg then builds the graph anew, and its clock would start from 0 again in the middle of the track.
 */
export function flattenArgs(
  { rendition, isChained }: Pick<AudioRun, 'rendition' | 'isChained'>,
  sourceUrl: string,
  flatFile: string,
): string[] {
  const format = `aformat=sample_rates=${rendition.sampleRateHz}:channel_layouts=${layoutOf(rendition)}`;
  const filters = [...mixFilters(rendition), format];
  return [
    ...[...untrustedInputArgs, ...timesArgs(isChained), '-i', sourceUrl],
    ...['-filter_complex', `[0:${rendition.streamIndex}]${filters.join(',')}[a]`, '-map', '[a]', '-map_metadata', '-1'],
    ...['-avoid_negative_ts', 'disabled', '-c:a', 'pcm_s16le', '-f', 'nut', flatFile],
  ];
}

/** Without its own times FFmpeg closes jumps of its input's clock. */
const timesArgs = (isChained: boolean): string[] => (isChained ? [] : ['-copyts']);

const inputArgs = ({ input, isChained }: AudioRun): string[] =>
  'sourceUrl' in input
    ? [...untrustedInputArgs, ...timesArgs(isChained), '-i', input.sourceUrl]
    : ['-protocol_whitelist', 'file', '-format_whitelist', 'nut', '-copyts', '-i', input.flatFile];

const inputPad = ({ input, rendition }: AudioRun): string => `[0:${'sourceUrl' in input ? rendition.streamIndex : 0}]`;

const clockFilters = ({ rendition, originSeconds, durationSeconds, isChained, input }: AudioRun): string[] => [
  // our own copy is mixed already
  ...('sourceUrl' in input ? mixFilters(rendition) : []),
  `asetpts=PTS-(${(isChained ? 0 : originSeconds).toFixed(9)})/TB`,
  // async=1 fills holes with silence and cuts overlaps, never stretches; from 20 ms on, since 100 ms, the default, is out of lip sync
  `aresample=${rendition.sampleRateHz}:async=1:min_hard_comp=0.02:first_pts=0`,
  `apad=whole_dur=${durationSeconds.toFixed(6)}`,
];

/** Channels by their numbers: what FFmpeg guesses of a layout that it does not know is not used. */
function mixFilters({ mix, codec }: AudioRendition): string[] {
  if (!mix) return [];
  const outputs = mix.map((inputs, output) => {
    const terms = inputs.map(({ input, gain }) => `${gain.toFixed(6)}*c${input}`);
    return `c${output}=${terms.length > 0 ? terms.join('+') : '0*c0'}`;
  });
  return [`pan=${layoutOf({ channels: mix.length, codec })}|${outputs.join('|')}`];
}

const layoutFilters = (rendition: AudioRendition): string[] => [`aformat=channel_layouts=${layoutOf(rendition)}`];

/** loudnorm works at 192 kHz, so the rate is set again after it. */
const formatFilters = (rendition: AudioRendition): string[] => [
  ...layoutFilters(rendition),
  ...(rendition.loudnessLufs === null ? [] : [`aresample=${rendition.sampleRateHz}`]),
];

function normalise({ loudnessLufs }: AudioRendition, measured: Loudness | null): string {
  const target = `loudnorm=I=${loudnessLufs}:TP=-1.5:LRA=11`;
  if (!measured) return target;
  return [
    target,
    `measured_I=${measured.input_i}:measured_TP=${measured.input_tp}:measured_LRA=${measured.input_lra}`,
    `measured_thresh=${measured.input_thresh}:offset=${measured.target_offset}:linear=true`,
  ].join(':');
}

/** Encoders refuse channels without a layout, and some sources have none. */
function layoutOf({ channels, codec }: Pick<AudioRendition, 'channels' | 'codec'>): string {
  const codecLayouts: Readonly<Record<number, string>> = audioCodecFacts[codec].channelLayouts;
  return codecLayouts[channels] ?? layouts[channels] ?? `${channels}c`;
}

const layouts: Record<number, string> = {
  1: 'mono',
  2: 'stereo',
  3: '3.0',
  4: '4.0',
  5: '5.0',
  6: '5.1',
  7: '6.1',
  8: '7.1',
};

const encoderArgs = (rendition: AudioRendition): string[] => [
  ...['-c:a', audioCodecFacts[rendition.codec].encoder, '-b:a', String(rendition.bitrateBps)],
  ...codecArgs[rendition.codec](rendition),
];

/** Arguments that only one encoder has. */
const codecArgs: Record<AudioCodec, (rendition: AudioRendition) => string[]> = {
  aac: () => [],
  // family 1 carries the layout of more than two channels
  opus: ({ channels }) => (channels > 2 ? ['-mapping_family', '1'] : []),
};
