import type { Size } from './display-size.ts';
import type { VideoSource } from './encode.ts';
import type { ThumbnailsSpec } from './jobs.ts';
import type { VideoTrack } from './probe.ts';
import type { TemplateQuery } from './query-structure.ts';
import { toNumber } from './rational.ts';

type Thumbnails = NonNullable<TemplateQuery['thumbnails']>;
type Clock = { startSeconds: number; durationSeconds: number; frameSeconds: number };

/** A page of tiles is decoded whole by the viewer's player; WebP ends at 16,383 pixels a side. */
const maxSheetSide = 16_000;
const maxSheetPixels = 32_000_000;
const maxSheets = 500;

/** Poster and sprite sheets of a video, null when none are asked for. Nothing is larger than the picture, all sizes are even. */
export function planThumbnails(
  { poster, sprite }: Thumbnails,
  source: VideoSource,
  track: VideoTrack,
): ThumbnailsSpec | null {
  if (!poster && !sprite) return null;
  const secondsPerTick = toNumber(track.timeBase);
  const clock = {
    startSeconds: track.startPts * secondsPerTick,
    durationSeconds: Math.max(0, track.endPts - track.startPts) * secondsPerTick,
    frameSeconds: 1 / toNumber(track.averageFrameRate),
  };
  const display = { width: source.displayWidth, height: source.displayHeight };
  return {
    kind: 'thumbnails',
    source,
    durationSeconds: clock.durationSeconds,
    poster: poster
      ? { atSeconds: posterSeconds(poster.at, clock), ...shrink(display, poster.width), format: poster.format }
      : null,
    sprite: sprite ? planSprite(sprite, display, clock) : null,
  };
}

/** `10%` or `12.5s` in source time, never past the last frame. */
function posterSeconds(at: string, { startSeconds, durationSeconds, frameSeconds }: Clock): number {
  const number = Number(at.slice(0, -1));
  const asked = at.endsWith('%') ? (durationSeconds * number) / 100 : number;
  return startSeconds + Math.max(0, Math.min(asked, durationSeconds - frameSeconds));
}

function planSprite(
  sprite: NonNullable<Thumbnails['sprite']>,
  display: Size,
  { startSeconds, durationSeconds }: Clock,
): ThumbnailsSpec['sprite'] {
  const tile = shrink(display, sprite.width);
  const columns = Math.max(1, Math.min(sprite.columns, Math.floor(maxSheetSide / tile.width)));
  const rowPixels = columns * tile.width * tile.height;
  const rows = Math.max(
    1,
    Math.min(sprite.rows, Math.floor(maxSheetSide / tile.height), Math.floor(maxSheetPixels / rowPixels)),
  );
  // Tiles are spread out rather than the end of a long video left without.
  const intervalSeconds = Math.max(sprite.interval, Math.ceil(durationSeconds / (maxSheets * columns * rows)));
  const tiles = Math.max(1, Math.ceil(durationSeconds / intervalSeconds - 1e-9));
  return {
    intervalSeconds,
    startSeconds,
    tileWidth: tile.width,
    tileHeight: tile.height,
    columns,
    rows,
    sheets: Math.ceil(tiles / (columns * rows)),
    tiles,
    format: sprite.format,
  };
}

function shrink(display: Size, askedWidth: number): Size {
  const even = (length: number) => Math.max(2, 2 * Math.floor(length / 2));
  const width = even(Math.min(askedWidth, display.width));
  const height = 2 * Math.max(1, Math.round((width * display.height) / display.width / 2));
  return { width, height: Math.min(height, even(display.height)) };
}
