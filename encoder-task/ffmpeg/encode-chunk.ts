import { keepsClosedCaptions } from '../../shared/protocol/closed-captions.ts';
import type { Chunk, FrameGrid, Rung } from '../../shared/protocol/encode-spec.ts';
import type { Encoders } from '../../shared/protocol/jobs.ts';
import { type EncoderRun, initFile, segmentPattern } from '../../shared/protocol/track-files.ts';
import type { Pass } from './codecs/encoder-options.ts';
import { lookaheadFrames, pixelsOf } from './codecs/lookahead.ts';
import { encoderTimeBase, videoEncoderArgs } from './codecs/video-encoder.ts';
import { colorTagArgs, rungColor, rungHdr10 } from './color.ts';
import { decoderArgs, probingArgs, sameGraphArgs, seekArgs, untrustedInputArgs } from './input-args.ts';
import { messageArgs } from './output/decoder-messages.ts';
import { type ChunkGraph, videoGraph } from './video-graph.ts';

export type ChunkRun = ChunkGraph & {
  sourceUrl: string;
  /** frames are selected by time and not counted: for variable frame rates, and for sources with missing frames */
  asGrid: boolean;
  run: EncoderRun;
  /** the segments get their names afterwards */
  isUnplaced?: boolean;
  /** processor cores of the machine */
  cores: number;
  /** of the machine's ffmpeg */
  encoders: Encoders;
};

/** Of segments whose place in the track is not final: watchers do not take these names for segments. */
export const unplacedPrefix = 'unplaced-';

/**
 * argv that decodes the chunk once and writes the segments of each rung to `<rung>/<number>.m4s` in the working folder,
 * with their final timestamps and numbers. `secondPass` has the statistics of `firstPassArgs` by rung.
 */
export function encodeChunkArgs(chunkRun: ChunkRun, secondPass: Map<string, Pass> = new Map()): string[] {
  const { rungs } = chunkRun;
  return [
    ...messageArgs,
    ...inputArgs(chunkRun),
    ...rungs.flatMap((rung, index) => [
      ...outputArgs(index, rung, chunkRun),
      ...encoderArgs(rung, chunkRun, secondPass.get(rung.name) ?? null),
      ...colorTagArgs(rungColor(chunkRun.source, rung)),
      ...segmentArgs(rung, chunkRun),
    ]),
  ];
}

/** argv of the first of two passes, which writes only statistics, for the rungs in `passes`. */
export function firstPassArgs(chunkRun: ChunkRun, passes: Map<string, Pass>): string[] {
  const rungs = chunkRun.rungs.filter((rung) => passes.has(rung.name));
  return [
    ...inputArgs({ ...chunkRun, rungs }),
    ...rungs.flatMap((rung, index) => [
      ...outputArgs(index, rung, chunkRun),
      ...encoderArgs(rung, chunkRun, passes.get(rung.name)!),
      ...['-f', 'null', '-'],
    ]),
  ];
}

type EncoderInput = Pick<ChunkRun, 'rungs' | 'grid' | 'source' | 'cores' | 'encoders'>;

/** Arguments of the encoder of one rung. `rungs` are all that the same run of ffmpeg encodes. */
export const encoderArgs = (rung: Rung, input: EncoderInput, pass: Pass | null): string[] => {
  const { rungs, grid, source, cores, encoders } = input;
  return videoEncoderArgs(rung, {
    gopFrames: grid.gopFrames,
    pass,
    hdr10: rungHdr10(source, rung),
    dropsClosedCaptions: source.closedCaptions === true && !keepsClosedCaptions(source, grid, rung),
    // the work of an encoder is proportional to its pixels
    coreShare: (cores * pixelsOf(rung)) / rungs.reduce((sum, each) => sum + pixelsOf(each), 0),
    lookahead: lookaheadFrames(rung, rungs),
    encoders,
  });
};

const inputArgs = (chunkRun: ChunkRun): string[] => [
  ...sourceArgs(chunkRun),
  ...['-filter_complex', videoGraph(chunkRun, chunkRun.asGrid)],
];

/** Arguments that open the source where the decoding of a chunk starts. */
export function sourceArgs({ source, chunk, sourceUrl }: Pick<ChunkRun, 'source' | 'chunk' | 'sourceUrl'>): string[] {
  const { seekSeconds } = chunk;
  return [
    ...untrustedInputArgs,
    ...probingArgs(source.probeBytes),
    // the filters cut at source timestamps, so they must not be changed
    '-copyts',
    ...seekArgs(seekSeconds),
    ...sameGraphArgs,
    ...decoderArgs(source),
    ...['-i', sourceUrl],
  ];
}

const outputArgs = (index: number, rung: Rung, { grid }: ChunkRun): string[] => framesArgs(`[v${index}]`, rung, grid);

/** Arguments that pass every frame of an output of the graph to the encoder of a rung. */
export const framesArgs = (label: string, rung: Rung, grid: FrameGrid): string[] => [
  ...['-map', label, '-map_metadata', '-1', '-map_chapters', '-1'],
  // encode every frame of the graph exactly once
  '-fps_mode',
  'passthrough',
  '-enc_time_base',
  encoderTimeBase(rung, grid),
];

const segmentArgs = (rung: Rung, { grid, chunk, run, isUnplaced }: ChunkRun): string[] => [
  // the encoder's delay makes the first decode times negative. If ffmpeg shifted them, chunks would not join
  ...['-avoid_negative_ts', 'disabled'],
  ...['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_playlist_type', 'vod'],
  ...['-hls_time', hlsTimeSeconds(grid, chunk)],
  // temp_file: a segment gets its name when it is complete, so it can be uploaded while the next one is written
  ...['-hls_flags', 'temp_file'],
  // frag_discont: decode times are on the output clock, not relative to the chunk. skip_sidx: players of segments do
  // not need it
  ...['-hls_segment_options', `movflags=+frag_discont+skip_sidx:video_track_timescale=${grid.timescale}`],
  ...['-start_number', String(chunk.startFrame / grid.segmentFrames)],
  ...[
    '-hls_fmp4_init_filename',
    initFile(run),
    '-hls_segment_filename',
    `${rung.name}/${isUnplaced ? unplacedPrefix : ''}${segmentPattern(run)}`,
    `${rung.name}/list.m3u8`,
  ],
];

/**
 * The muxer cuts at the first key frame at or after n × hls_time, in microseconds. If that were rounded up, it would
 * cut one GOP too late. So hls_time is reduced by an amount that adds up to half a frame over the chunk.
 */
function hlsTimeSeconds(grid: FrameGrid, chunk: Chunk): string {
  const frameSeconds = grid.ticksPerFrame / grid.timescale;
  const segments = Math.ceil((chunk.endFrame - chunk.startFrame) / grid.segmentFrames);
  return (grid.segmentFrames * frameSeconds - frameSeconds / 2 / segments).toFixed(6);
}
