import type { AudioRendition, SourcePart } from '../../shared/protocol/encode-spec.ts';
import { type EncoderRun, initFile, segmentPattern } from '../../shared/protocol/track-files.ts';
import { audioEncoderArgs, channelLayout } from './codecs/audio-encoder.ts';
import { probingArgs, seekArgs, untrustedInputArgs } from './input-args.ts';
import type { Loudness } from './output/loudness.ts';

/** The input of the encoder: the source, or a local copy of the track as PCM. */
export type AudioInput =
  | {
      sourceUrl: string;
      probeBytes?: number | undefined;
      /** source time where decoding starts; null for the beginning of the file */
      seekSeconds?: number | null;
    }
  | { pcmFile: string };
type SourceInput = Extract<AudioInput, { sourceUrl: string }>;
export type AudioRun = {
  rendition: AudioRendition;
  /** source time that is 0 on the output clock */
  originSeconds: number;
  /** end of the presentation on the output clock */
  durationSeconds: number;
  /** chained Ogg streams: FFmpeg must make their times continuous, and its clock then starts with the track */
  isChained: boolean;
  /** gaps and overlaps below are not corrected */
  shortestGapSeconds: number;
  input: AudioInput;
  run: EncoderRun;
};

/**
 * argv that encodes a whole track to `<name>/<number>.m4s`. The output clock starts at 0: earlier audio is cut, and
 * gaps become silence up to the planned end. The edit list of the init segment removes the encoder's priming, so that
 * decode times start at 0 as well. Without `loudness` the level stays as it is.
 */
export function encodeAudioArgs(audioRun: AudioRun, loudness: Loudness | null): string[] {
  const { rendition, run, durationSeconds } = audioRun;
  const packetSeconds = packetSamples[rendition.codec] / rendition.sampleRateHz;
  const segmentSeconds = audioSegmentSeconds(rendition.segmentSeconds, { durationSeconds, packetSeconds });
  const filters = [
    ...(loudness ? [loudnorm(rendition, loudness)] : []),
    ...layoutFilters(rendition),
    // loudnorm outputs 192 kHz
    ...(loudness ? [`aresample=${rendition.sampleRateHz}`] : []),
  ];
  return [
    ...inputArgs(audioRun),
    ...['-filter_complex', graph(audioRun, filters)],
    ...['-map', '[a]', '-map_metadata', '-1', '-map_chapters', '-1'],
    ...audioEncoderArgs(rendition),
    ...['-avoid_negative_ts', 'disabled'],
    ...['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_playlist_type', 'vod', '-hls_flags', 'temp_file'],
    ...['-hls_time', segmentSeconds.toFixed(6), '-hls_segment_options', 'movflags=+skip_sidx'],
    ...['-hls_fmp4_init_filename', initFile(run)],
    ...['-hls_segment_filename', `${rendition.name}/${segmentPattern(run)}`, `${rendition.name}/list.m3u8`],
  ];
}

/** argv of loudnorm's first pass, which prints its measurement as JSON to stderr. */
export function measureLoudnessArgs(audioRun: AudioRun): string[] {
  const { rendition } = audioRun;
  const filters = [...layoutFilters(rendition), `${loudnorm(rendition, null)}:print_format=json`];
  return [
    ...['-v', 'info'],
    ...inputArgs(audioRun),
    ...['-filter_complex', graph(audioRun, filters), '-map', '[a]', '-f', 'null', '-'],
  ];
}

/** argv that measures a finished track in the job folder by EBU R128 and prints a summary to stderr. */
export const measureFinishedArgs = ({ name }: Pick<AudioRendition, 'name'>): string[] => [
  ...['-v', 'info', '-protocol_whitelist', 'file', '-format_whitelist', 'hls,mov', '-i', `${name}/list.m3u8`],
  ...['-af', 'ebur128=framelog=verbose', '-f', 'null', '-'],
];

/**
 * argv that copies the track to PCM with one sample rate and layout, and keeps the source times. Broadcasts switch
 * between two and six channels. ffmpeg then rebuilds the filter graph, and the output clock of a direct encode would
 * restart at 0. Tracks that are joined stay apart.
 */
export function pcmArgs(
  { rendition, isChained, part }: Pick<AudioRun, 'rendition' | 'isChained'> & { part?: SourcePart | undefined },
  input: SourceInput,
  pcmFile: string,
): string[] {
  const { joined, sampleRateHz } = rendition;
  const layout = joined ? 'mono' : channelLayout(rendition);
  const format = `aformat=sample_rates=${sampleRateHz}:channel_layouts=${layout}`;
  const end = part && !isChained ? [`atrim=end=${(part.endSeconds + pcmTailSeconds).toFixed(6)}`] : [];
  const filters = [...end, ...(joined ? [] : mixFilters(rendition)), format].join(',');
  const streams = streamsOf(rendition);
  return [
    ...sourceArgs(input, isChained),
    ...['-filter_complex', streams.map((stream, n) => `[0:${stream}]${filters}[a${n}]`).join(';')],
    ...streams.flatMap((_, n) => ['-map', `[a${n}]`]),
    ...['-map_metadata', '-1', '-avoid_negative_ts', 'disabled', '-c:a', 'pcm_s16le', '-f', 'nut', pcmFile],
  ];
}

/** Sound may be used up to a picture longer than the part. */
const pcmTailSeconds = 2;

/** The streams of the source in a rendition. */
export const streamsOf = ({ streamIndex, joined }: Pick<AudioRendition, 'streamIndex' | 'joined'>): number[] =>
  joined ?? [streamIndex];

/** Without -copyts FFmpeg corrects jumps of the input clock. */
const timesArgs = (isChained: boolean): string[] => (isChained ? [] : ['-copyts']);

const sourceArgs = ({ sourceUrl, probeBytes, seekSeconds = null }: SourceInput, isChained: boolean): string[] => [
  ...[...untrustedInputArgs, ...probingArgs(probeBytes), ...timesArgs(isChained)],
  ...[...seekArgs(seekSeconds), '-i', sourceUrl],
];

const inputArgs = ({ input, isChained }: AudioRun): string[] =>
  'sourceUrl' in input
    ? sourceArgs(input, isChained)
    : ['-protocol_whitelist', 'file', '-format_whitelist', 'nut', '-copyts', '-i', input.pcmFile];

/** The track on the output clock, mixed, with more filters, as `[a]`. */
function graph(audioRun: AudioRun, filters: string[]): string {
  const { input, rendition } = audioRun;
  const isSource = 'sourceUrl' in input;
  const pads = streamsOf(rendition).map((stream, n) => `[0:${isSource ? stream : n}]`);
  const clock = clockFilters(audioRun);
  // a PCM copy of one track is already mixed
  const mix = isSource || rendition.joined ? mixFilters(rendition) : [];
  if (!rendition.joined) return `${pads[0]}${[...mix, ...clock, ...filters].join(',')}[a]`;
  // Each channel is on the clock before they are joined, because join counts samples and ignores times.
  const channel = [...clock, 'aformat=channel_layouts=mono', equalFrames].join(',');
  const channels = pads.map((pad, n) => `${pad}${channel}[c${n}]`);
  const inputs = pads.map((_, n) => `[c${n}]`).join('');
  return [...channels, `${inputs}${[joinFilter(pads.length), ...mix, ...filters].join(',')}[a]`].join(';');
}

/** From channels that end one after the other, join loses the last frames of a codec with long ones, such as FLAC. */
const equalFrames = 'asetnsamples=1024:p=0';

/** The speakers of the layouts that are joined, by FFmpeg's names. */
const speakers: Record<number, string[]> = { 2: ['FL', 'FR'], 6: ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR'] };

function joinFilter(channels: number): string {
  const map = speakers[channels]!.map((speaker, n) => `${n}.0-${speaker}`).join('|');
  return `join=inputs=${channels}:channel_layout=${channels === 2 ? 'stereo' : '5.1'}:map=${map}`;
}

const clockFilters = ({
  rendition,
  originSeconds,
  durationSeconds,
  isChained,
  shortestGapSeconds,
}: AudioRun): string[] => [
  `asetpts=PTS-(${(isChained ? 0 : originSeconds).toFixed(9)})/TB`,
  // async=1 fills gaps with silence and cuts overlaps without stretching
  `aresample=${rendition.sampleRateHz}:async=1:min_hard_comp=${shortestGapSeconds}:first_pts=0`,
  `apad=whole_dur=${durationSeconds.toFixed(6)}`,
  // a track beside a copied video, or one that is added to a finished video, may be longer than the presentation
  `atrim=end=${durationSeconds.toFixed(6)}`,
];

const packetSamples: Record<AudioRendition['codec'], number> = { aac: 1024, opus: 960 };

/** hls.js 1.7 finds segments with this tolerance, and waits forever for a shorter one at the end. */
const shortestLastSeconds = 0.25;

/**
 * Duration of the segments of audio for the muxer: a little longer than planned where the last one would be too short.
 * The encoder's priming adds a packet, so that a track of whole segments would end with a segment of one packet.
 */
export function audioSegmentSeconds(
  segmentSeconds: number,
  { durationSeconds, packetSeconds }: { durationSeconds: number; packetSeconds: number },
): number {
  const segments = Math.max(1, Math.floor((durationSeconds + packetSeconds) / segmentSeconds));
  const lastSeconds = durationSeconds - segments * segmentSeconds;
  return lastSeconds < shortestLastSeconds
    ? Math.max(segmentSeconds, (durationSeconds + 1.5 * packetSeconds) / segments)
    : segmentSeconds;
}

/** Mixes channels by number, because FFmpeg guesses when it does not know a layout. */
function mixFilters({ mix, codec }: AudioRendition): string[] {
  if (!mix) return [];
  const outputs = mix.map((inputs, output) => {
    const terms = inputs.map(({ input, gain }) => `${gain.toFixed(6)}*c${input}`);
    return `c${output}=${terms.length > 0 ? terms.join('+') : '0*c0'}`;
  });
  return [`pan=${channelLayout({ channels: mix.length, codec })}|${outputs.join('|')}`];
}

const layoutFilters = (rendition: AudioRendition): string[] => [`aformat=channel_layouts=${channelLayout(rendition)}`];

function loudnorm({ loudnessLufs }: AudioRendition, measured: Loudness | null): string {
  const target = `loudnorm=I=${loudnessLufs}:TP=-1.5:LRA=11`;
  if (!measured) return target;
  return [
    target,
    `measured_I=${measured.input_i}:measured_TP=${measured.input_tp}:measured_LRA=${measured.input_lra}`,
    `measured_thresh=${measured.input_thresh}:offset=${measured.target_offset}:linear=true`,
  ].join(':');
}
