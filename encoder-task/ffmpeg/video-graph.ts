import { formatRational } from '../../shared/media/rational.ts';
import type { Chunk, FrameGrid, Rung, VideoSource } from '../../shared/protocol/encode-spec.ts';
import {
  colorTagFilter,
  fromRgb,
  isHdr,
  isRgbPicture,
  needsToneMap,
  rungColor,
  toneMapFilters,
  toRgb,
} from './color.ts';
import { changedPicture, hexColor, sameSize, sourcePicture } from './source-picture.ts';
import { watermarkOnRung } from './watermark.ts';

export type ChunkGraph = { source: VideoSource; grid: FrameGrid; chunk: Chunk; rungs: Rung[] };

/**
 * The filter graph of a chunk: cuts the decoded frames exactly to the chunk, sets their final timestamps, and splits
 * them to one output `[v<n>]` per rung. `asGrid` selects frames by time and repeats the last one in gaps. A chunk that
 * mostly repeats frames repeats them behind the filters of each rung, which then work on every picture once.
 */
export function videoGraph({ source, grid, chunk, rungs }: ChunkGraph, asGrid: boolean): string {
  const cut = asGrid ? selectByTime(source, grid, chunk) : cutByPts(source, grid, chunk);
  const branches = rungs.map((_, index) => `[s${index}]`).join('');
  return [
    `[0:${source.streamIndex}]${[...picture(source, rungs), ...shiftEdits(source), 'split'].join(',')}[all][lead]`,
    markStart(source, chunk),
    `[all]${[...cut.shared, `split=${rungs.length}`].join(',')}${branches}`,
    ...rungs.map((rung, index) => {
      const filters = [...rungFilters(source, rung), ...cut.perRung, ...watermarkOnRung(source, rung, grid, index)];
      return `[s${index}]${filters.join(',')}[v${index}]`;
    }),
  ].join(';');
}

/** Filters before and behind those of the rungs. */
type Cut = { shared: string[]; perRung: string[] };

function picture(source: VideoSource, rungs: Rung[]): string[] {
  if (source.pixelAspects) return sourcePicture(source);
  const needsOneSize = source.interlaced || rungs.some(({ crop }) => crop);
  return [...(needsOneSize ? [sameSize] : []), ...sourcePicture(source)];
}

/** Shifts the frames of each edit to its start. N counts the frames of all edits. */
export function shiftEdits({ editShifts = [] }: VideoSource): string[] {
  if (editShifts.length === 0) return [];
  let endFrame = editShifts.reduce((sum, { frames }) => sum + frames, 0);
  const shift = editShifts.reduceRight((later, { frames, shiftTicks }) => {
    const chosen = later === '' ? String(shiftTicks) : `if(lt(N,${endFrame}),${shiftTicks},${later})`;
    endFrame -= frames;
    return chosen;
  }, '');
  return [`setpts='PTS+(${shift})'`];
}

/** A decoder with several threads reports errors up to half a second before it returns the frame. */
const decoderAheadSeconds = 0.5;

/**
 * Prints a message shortly before the first frame of the chunk: earlier messages of the decoder concern earlier frames.
 */
function markStart({ timeBase, deinterlace }: VideoSource, { startPts }: Chunk): string {
  const aheadTicks = Math.round((decoderAheadSeconds * timeBase.den) / timeBase.num);
  const startTicks = deinterlace === 'double' ? Math.floor(startPts / 2) : startPts;
  return `[lead]trim=start_pts=${startTicks - aheadTicks},trim=end_frame=1,showinfo=checksum=0,nullsink`;
}

/**
 * Source frame n is output frame n: cut at integer PTS, then numbered, which removes rounding of the container's time
 * base. The first and the last frame are held where the chunk has more frames.
 */
function cutByPts(source: VideoSource, grid: FrameGrid, chunk: Chunk): Cut {
  const shared = pictureFrom(source, `trim=start_pts=${chunk.startPts}:end_pts=${chunk.endPts}`);
  const number = [
    `settb=1/${grid.timescale}`,
    `setpts=(N+${chunk.startFrame})*${grid.ticksPerFrame}`,
    // drops and repeats nothing here; sets the frame rate for the encoder, because headers may be wrong
    `fps=fps=${formatRational(grid.frameRate)}:round=near`,
    ...onOutputClock(grid),
  ];
  if (chunk.pictures === undefined) return { shared: [...shared, ...number], perRung: [] };
  return { shared, perRung: [...holdFrames(source, chunk, chunk.pictures), ...number] };
}

function holdFrames({ closedCaptions }: VideoSource, chunk: Chunk, pictures: number): string[] {
  const { heldBefore = 0 } = chunk;
  const heldAfter = chunk.endFrame - chunk.startFrame - heldBefore - pictures;
  return [
    `tpad=start=${heldBefore}:start_mode=clone:stop=${heldAfter}:stop_mode=clone`,
    ...(closedCaptions ? [`${dropCaptions}:enable='lt(n,${heldBefore})+gte(n,${heldBefore + pictures})'`] : []),
  ];
}

/** From repeated frames: the captions of a frame are parts of a text, which would be repeated as well. */
const dropCaptions = 'sidedata=mode=delete:type=A53_CC';

/** With fewer repeats, the rungs would scale more frames between the key frame and the chunk than they save. */
const mostlyRepeated = 0.8;

/**
 * Frames are selected on a grid that starts at the same source time for every chunk, so that chunks agree at their
 * borders. After fps the time base is one frame, and the PTS is the frame number.
 */
function selectByTime(source: VideoSource, grid: FrameGrid, chunk: Chunk): Cut {
  const { sourceStartSeconds, pictureDelaySeconds = 0 } = grid;
  const originTicks = Math.round((sourceStartSeconds - pictureDelaySeconds) * grid.timescale);
  const frames = chunk.endFrame - chunk.startFrame;
  const shared = [...changedPicture(source), `settb=1/${grid.timescale}`, `setpts=PTS-${signed(originTicks)}`];
  const { pictures = frames, heldBefore = 0 } = chunk;
  // With a start time, fps repeats the first frame from the start of the chunk when the source starts later, and drops
  // all frames when the source ends earlier.
  const startTime =
    pictures === 0 && heldBefore === 0 ? '' : `:start_time=${(chunk.startFrame * grid.ticksPerFrame) / grid.timescale}`;
  const select = [
    lastFrameTwice,
    `fps=fps=${formatRational(grid.frameRate)}:round=near:eof_action=pass${startTime}`,
    // repeats the last frame when the source ends before the chunk
    'tpad=stop=-1:stop_mode=clone',
    `trim=start_pts=${chunk.startFrame}:end_pts=${chunk.endFrame}`,
    ...onOutputClock(grid),
  ];
  if (source.closedCaptions && pictures === 0) select.push(dropCaptions);
  return pictures < mostlyRepeated * frames
    ? { shared, perRung: select }
    : { shared: [...shared, ...select], perRung: [] };
}

/** Before `fps`, which outputs a frame only when a later one arrives, and would drop a single frame. */
export const lastFrameTwice = 'tpad=stop=1:stop_mode=clone';

/** After `fps` a PTS is a frame number. timescale ÷ ticksPerFrame is the frame rate, so the conversion is exact. */
const onOutputClock = (grid: FrameGrid): string[] => [
  `settb=1/${grid.timescale}`,
  ...(grid.startTicks === 0 ? [] : [`setpts=PTS+${grid.startTicks}`]),
];

/** The changed pictures from a time on. Of frames that are made of fields, those are counted and timed. */
export const pictureFrom = (source: VideoSource, trim: string): string[] =>
  source.deinterlace === 'double' ? [...changedPicture(source), trim] : [trim, ...changedPicture(source)];

function rungFilters(source: VideoSource, rung: Rung): string[] {
  const { crop } = rung;
  const color = rungColor(source, rung);
  const scale = [
    `scale=${rung.width}:${rung.height}`,
    'out_range=tv',
    ...(isRgbPicture(source) ? [fromRgb(color.space)] : []),
  ];
  return [
    // ffmpeg has rotated the frame, but its pixels may not be square: crop relative to its size
    ...(crop ? [`crop=w=iw*${crop.width}/${source.displayWidth}:h=ih*${crop.height}/${source.displayHeight}`] : []),
    // tone mapping needs full precision; it follows the scaling because that leaves fewer pixels
    needsToneMap(source, rung) ? `scale=${rung.width}:${rung.height}` : scale.join(':'),
    ...(needsToneMap(source, rung) ? toneMapFilters(source) : []),
    ...(isHdr(source) || source.hdr10 ? dropHdrMetadata : []),
    pixelShape(rung),
    ...padding(source, rung, color.space),
    `format=${rung.pixelFormat}`,
    colorTagFilter(color),
  ];
}

/** Bars of another colour than black are added in RGB, because ffmpeg 5 converts colours of filters to BT.601 only. */
function padding({ backgroundRgb }: VideoSource, { pad, pixelFormat }: Rung, matrix: string | null): string[] {
  if (!pad) return [];
  const bars = `pad=${pad.width}:${pad.height}:-1:-1`;
  if (backgroundRgb === undefined) return [bars];
  const rgb = toRgb(matrix, pixelFormat === 'yuv420p' ? 'gbrp' : 'gbrp10le');
  return [...rgb, `${bars}:color=${hexColor(backgroundRgb)}`, `scale=out_range=tv:${fromRgb(matrix)}`];
}

/**
 * The encoders get the metadata of an HDR10 rendition as parameters. Those of ffmpeg 7 would also write what the frames
 * of the source have, even into a rendition that was tone-mapped.
 */
const dropHdrMetadata = ['MASTERING_DISPLAY_METADATA', 'CONTENT_LIGHT_LEVEL'].map(
  (type) => `sidedata=mode=delete:type=${type}`,
);

/** Without `max`, numbers above 100 are rounded. */
const pixelShape = ({ sampleAspectRatio: shape }: Rung): string =>
  shape ? `setsar=${formatRational(shape)}:max=65535` : 'setsar=1';

const signed = (value: number): string => (value < 0 ? `(${value})` : String(value));
