import { formatRational } from '../../shared/media/rational.ts';
import type { Chunk, FrameGrid, Rung, VideoSource } from '../../shared/protocol/encode-spec.ts';
import { isRgb, needsToneMap, toneMapFilters } from './color.ts';

export type ChunkGraph = { source: VideoSource; grid: FrameGrid; chunk: Chunk; rungs: Rung[] };

/**
 * The filter graph of a chunk: decoded once, cut to exactly the chunk's frames with their final timestamps, split to one output `[v<n>]`
 * for each rung. `asGrid` picks frames by time and repeats the last one over holes.
 */
export function videoGraph({ source, grid, chunk, rungs }: ChunkGraph, asGrid: boolean): string {
  const cut = asGrid ? pickOnGrid(source, grid, chunk) : cutByPts(source, grid, chunk);
  const branches = rungs.map((_, index) => `[s${index}]`).join('');
  return [
    `[0:${source.streamIndex}]${[...placeEdits(source), 'split'].join(',')}[all][lead]`,
    noteStart(source, chunk),
    `[all]${[...cut, `split=${rungs.length}`].join(',')}${branches}`,
    ...rungs.map((rung, index) => `[s${index}]${rungFilters(source, rung).join(',')}[v${index}]`),
  ].join(';');
}

/** Moves the frames of each edit to where it begins; N counts the frames of all edits. */
function placeEdits({ editShifts = [] }: VideoSource): string[] {
  if (editShifts.length === 0) return [];
  let endFrame = editShifts.reduce((sum, { frames }) => sum + frames, 0);
  const shift = editShifts.reduceRight((later, { frames, shiftTicks }) => {
    const chosen = later === '' ? String(shiftTicks) : `if(lt(N,${endFrame}),${shiftTicks},${later})`;
    endFrame -= frames;
    return chosen;
  }, '');
  return [`setpts='PTS+(${shift})'`];
}

/** A decoder with several threads speaks of frames that it gives out up to half a second later. */
const decoderAheadSeconds = 0.5;

/** Says when the frames of the chunk are near: what the decoder said before was of frames ahead of them. */
function noteStart({ timeBase }: VideoSource, { startPts }: Chunk): string {
  const aheadTicks = Math.round((decoderAheadSeconds * timeBase.den) / timeBase.num);
  return `[lead]trim=start_pts=${startPts - aheadTicks},trim=end_frame=1,showinfo=checksum=0,nullsink`;
}

/** Source frame n is output frame n: cut on integer PTS, then numbered, so that rounding in the container's time base is gone. */
function cutByPts(source: VideoSource, grid: FrameGrid, chunk: Chunk): string[] {
  return [
    `trim=start_pts=${chunk.startPts}:end_pts=${chunk.endPts}`,
    ...deinterlace(source),
    `settb=1/${grid.timescale}`,
    `setpts=(N+${chunk.startFrame})*${grid.ticksPerFrame}`,
    // picks nothing here: it tells the encoder the true rate, where headers claim any
    `fps=fps=${formatRational(grid.frameRate)}:round=near`,
    ...onOutputClock(grid),
  ];
}

/**
 * Frames are picked on one grid that starts at the same source time for every chunk, so that chunks agree at their borders. After fps the
 * time base is one frame, and a PTS is the frame's number.
 */
function pickOnGrid(source: VideoSource, grid: FrameGrid, chunk: Chunk): string[] {
  const originTicks = Math.round(grid.sourceStartSeconds * grid.timescale);
  return [
    ...deinterlace(source),
    `settb=1/${grid.timescale}`,
    `setpts=PTS-${signed(originTicks)}`,
    lastFrameTwice,
    // start_time repeats the first frame back to the chunk's start when the source begins later
    `fps=fps=${formatRational(grid.frameRate)}:round=near:eof_action=pass:start_time=${(chunk.startFrame * grid.ticksPerFrame) / grid.timescale}`,
    // the last frame is held when the source ends before the chunk does
    'tpad=stop=-1:stop_mode=clone',
    `trim=start_pts=${chunk.startFrame}:end_pts=${chunk.endFrame}`,
    ...onOutputClock(grid),
  ];
}

/** Before `fps`, which gives a frame out when the next one is there or the stream ends later: it would drop an only frame. */
export const lastFrameTwice = 'tpad=stop=1:stop_mode=clone';

/** After `fps` a tick is one frame and PTS are frame numbers; timescale ÷ ticksPerFrame is the frame rate, so this is exact. */
const onOutputClock = (grid: FrameGrid): string[] => [
  `settb=1/${grid.timescale}`,
  ...(grid.startTicks === 0 ? [] : [`setpts=PTS+${grid.startTicks}`]),
];

/** One frame out for one frame in; frames that are not marked as interlaced pass untouched. */
export const deinterlace = (source: VideoSource): string[] =>
  source.interlaced ? ['bwdif=mode=send_frame:parity=auto:deint=interlaced'] : [];

function rungFilters(source: VideoSource, rung: Rung): string[] {
  const { crop, pad } = rung;
  const scale = [
    `scale=${rung.width}:${rung.height}`,
    'out_range=tv',
    ...(isRgb(source) ? ['out_color_matrix=bt709'] : []),
  ];
  return [
    // the frame is upright (ffmpeg turns it) but its pixels may not be square yet: crop by share
    ...(crop ? [`crop=w=iw*${crop.width}/${source.displayWidth}:h=ih*${crop.height}/${source.displayHeight}`] : []),
    // tone-mapping reads full precision; scaled first, it is done on fewer pixels
    needsToneMap(source, rung) ? `scale=${rung.width}:${rung.height}` : scale.join(':'),
    ...(needsToneMap(source, rung) ? toneMapFilters(source) : []),
    pixelShape(rung),
    ...(pad ? [`pad=${pad.width}:${pad.height}:-1:-1`] : []),
    `format=${rung.pixelFormat}`,
  ];
}

/** Without `max`, terms beyond 100 are rounded. */
const pixelShape = ({ sampleAspectRatio: shape }: Rung): string =>
  shape ? `setsar=${formatRational(shape)}:max=65535` : 'setsar=1';

const signed = (value: number): string => (value < 0 ? `(${value})` : String(value));
