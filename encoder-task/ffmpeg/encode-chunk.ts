import type { Chunk, FrameGrid, Rung } from '../../shared/protocol/encode-spec.ts';
import { type Pass, videoEncoderArgs } from './codecs/video-encoder.ts';
import { colorTagArgs, rungColor, rungHdr10 } from './color.ts';
import { untrustedInputArgs } from './input-args.ts';
import { levelledMessagesArgs } from './output/decoder-messages.ts';
import { type ChunkGraph, videoGraph } from './video-graph.ts';

export type ChunkRun = ChunkGraph & {
  sourceUrl: string;
  /** frames are picked by time, not counted: for grids, and for sources that lack frames */
  asGrid: boolean;
  /** processor cores to use */
  cores: number;
};

/**
 * argv that decodes the chunk's range once and writes each rung's segments to `<rung>/<number>.m4s` in the working folder, with the final
 * timestamps and numbers. `secondPass` are the statistics of `firstPassArgs`, by rung.
 */
export function encodeChunkArgs(chunkRun: ChunkRun, secondPass: Map<string, Pass> = new Map()): string[] {
  const { rungs } = chunkRun;
  return [
    ...levelledMessagesArgs,
    ...inputArgs(chunkRun),
    ...rungs.flatMap((rung, index) => [
      ...outputArgs(index, rung, chunkRun),
      ...encoderArgs(rung, chunkRun, secondPass.get(rung.name) ?? null),
      ...colorTagArgs(rungColor(chunkRun.source, rung)),
      ...segmentArgs(rung, chunkRun),
    ]),
  ];
}

/** argv of the first of two passes: statistics only, for the rungs that `passes` names. */
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

const encoderArgs = (rung: Rung, { rungs, grid, source, cores }: ChunkRun, pass: Pass | null): string[] =>
  videoEncoderArgs(rung, {
    ...{ gopFrames: grid.gopFrames, pass, hdr10: rungHdr10(source, rung) },
    // an encoder's work follows its pixels
    coreShare: (cores * pixelsOf(rung)) / rungs.reduce((sum, each) => sum + pixelsOf(each), 0),
  });

const pixelsOf = ({ width, height }: Rung): number => width * height;

function inputArgs(chunkRun: ChunkRun): string[] {
  const { seekSeconds } = chunkRun.chunk;
  return [
    ...untrustedInputArgs,
    // source timestamps reach the filters as they are, or no cut would be exact
    '-copyts',
    ...(seekSeconds === null
      ? []
      : // seek_timestamp: the time is the source's own, not counted from its first packet. noaccurate_seek: trim cuts, on integers
        ['-seek_timestamp', '1', '-noaccurate_seek', '-ss', seekSeconds.toFixed(6)]),
    // calls and live recordings change their picture size; a graph built anew would count its frames from 0 again, and scale copes
    ...['-reinit_filter', '0'],
    ...['-i', chunkRun.sourceUrl],
    ...['-filter_complex', videoGraph(chunkRun, chunkRun.asGrid)],
  ];
}

const outputArgs = (index: number, { codec }: Rung, { grid }: ChunkRun): string[] => [
  ...['-map', `[v${index}]`, '-map_metadata', '-1', '-map_chapters', '-1'],
  // every frame that the graph gives is encoded once, on the output clock
  '-fps_mode',
  'passthrough',
  ...(codec === 'vp9' ? vp9TickArgs(grid) : ['-enc_time_base', `1:${grid.timescale}`]),
];

/**
 * A tick for each frame, unless the clock starts between two. ffmpeg 5 tells libvpx that a frame lasts a tick, so with shorter ones the first frames of a
 * chunk are given hardly any bits: SSIM 0.90 instead of 0.99.
 */
const vp9TickArgs = ({ timescale, ticksPerFrame, startTicks }: FrameGrid): string[] => [
  '-enc_time_base',
  startTicks % ticksPerFrame === 0 ? `${ticksPerFrame}:${timescale}` : `1:${timescale}`,
];

const segmentArgs = (rung: Rung, { grid, chunk }: ChunkRun): string[] => [
  // the encoder's delay makes the first decode times negative; shifted, chunks would not fit together
  ...['-avoid_negative_ts', 'disabled'],
  ...['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_playlist_type', 'vod'],
  ...['-hls_time', hlsTimeSeconds(grid, chunk)],
  // a name appears when its file is whole, so it can be uploaded while the next is written
  ...['-hls_flags', 'temp_file'],
  // frag_discont: decode times are the clock's, not counted from this chunk's first frame. sidx is of no use to a player of segments
  ...['-hls_segment_options', `movflags=+frag_discont+skip_sidx:video_track_timescale=${grid.timescale}`],
  ...['-start_number', String(chunk.startFrame / grid.segmentFrames)],
  ...[
    '-hls_fmp4_init_filename',
    'init.mp4',
    '-hls_segment_filename',
    `${rung.name}/%05d.m4s`,
    `${rung.name}/list.m3u8`,
  ],
];

/**
 * The muxer cuts at the first key frame at or after n × hls_time, in microseconds. Rounded up, it would miss that frame by a whole GOP, so
 * the time is short by as much as adds up to half a frame over the chunk.
 */
function hlsTimeSeconds(grid: FrameGrid, chunk: Chunk): string {
  const frameSeconds = grid.ticksPerFrame / grid.timescale;
  const segments = Math.ceil((chunk.endFrame - chunk.startFrame) / grid.segmentFrames);
  return (grid.segmentFrames * frameSeconds - frameSeconds / 2 / segments).toFixed(6);
}
