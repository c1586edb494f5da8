import { defaults } from '../../shared/defaults.ts';
import type { UploadedImage } from '../../shared/media/image-header.ts';
import { toNumber } from '../../shared/media/rational.ts';
import type { VideoSource } from '../../shared/protocol/encode-spec.ts';
import type {
  ImagesSpec,
  PosterSpec,
  PreviewSpec,
  ThumbnailsSpec,
  UploadedPosterSpec,
} from '../../shared/protocol/jobs.ts';
import type { FrameIndex, VideoTrack } from '../../shared/protocol/probe-result.ts';
import type { TemplateQuery } from '../templates/query-structure.ts';
import { templateLimits } from '../templates/template-limits.ts';
import type { Size } from './video/display-size.ts';
import type { Presentation } from './video/frame-grid.ts';
import { rgbOf } from './video/video-source.ts';

type Thumbnails = NonNullable<TemplateQuery['thumbnails']>;
type Sprite = NonNullable<ThumbnailsSpec['sprite']>;
/** The source times between which the track has pictures. */
type Pictures = { startSeconds: number; endSeconds: number };

/** Players decode a whole sprite sheet at once. WebP allows 16,383 pixels per side. */
const maxSheetSide = 16_000;
const maxSheetPixels = 32_000_000;
const maxSheets = 500;
/**
 * The most that a sprite may decode where key frames are too far apart: one hour of 1080p30, about twelve minutes on
 * one core.
 */
const maxDecodedPixels = 3600 * 30 * 1920 * 1080;
/** The most that a preview of the default width has: a list of 20 videos is then at most 8 MB. */
const previewBytes = 400_000;
const { maxImages } = templateLimits;
/** The accepted share of tiles whose nearest key frame is more than one interval away. */
const maxDistantShare = 0.1;

/**
 * Poster, sprite sheets, images and preview of a video; null when the template has none. They are never larger than the
 * frame, and all sizes are even.
 */
export function planThumbnails(
  { poster, sprite, images, preview }: Thumbnails,
  source: VideoSource,
  { track, frames }: { track: VideoTrack; frames: FrameIndex },
  presentation: Presentation,
): ThumbnailsSpec | null {
  if (!poster && !sprite && !images && !preview) return null;
  const secondsPerTick = toNumber(track.timeBase);
  // decoding key frames only gives nothing for tracks that have none
  const hasKeyFrames = frames.keyFrames.length > 0;
  const isCheapToDecode = track.frameCount * track.width * track.height <= maxDecodedPixels;
  const display = { width: source.displayWidth, height: source.displayHeight };
  const pictures = { startSeconds: track.startPts * secondsPerTick, endSeconds: track.endPts * secondsPerTick };
  const planned = sprite && planSprite(sprite, display, presentation);
  const within = (atSeconds: number) => beforeEnd(atSeconds, track, pictures);
  return {
    kind: 'thumbnails',
    source,
    durationSeconds: presentation.durationSeconds,
    poster: poster
      ? {
          atSeconds: within(posterSeconds(poster.at, pictures, presentation)),
          ...shrink(display, poster.width),
          format: poster.format,
        }
      : null,
    sprite: planned
      ? {
          ...planned,
          decodesAll:
            !hasKeyFrames ||
            (isCheapToDecode && lacksKeyFrames(planned, keyFrameSeconds(frames, secondsPerTick), pictures)),
        }
      : null,
    images: images ? planImages(images, display, presentation, within) : null,
    preview: preview ? planPreview(preview, display, pictures) : null,
  };
}

/** `10%` of the pictures or `12.5s` of the presentation, as a source time. */
function posterSeconds(at: string, { startSeconds, endSeconds }: Pictures, { originSeconds }: Presentation): number {
  const number = Number(at.slice(0, -1));
  return at.endsWith('%') ? startSeconds + ((endSeconds - startSeconds) * number) / 100 : originSeconds + number;
}

/** Never past the last frame, where a sprite repeats it: an image is made from one frame. */
const beforeEnd = (
  atSeconds: number,
  { averageFrameRate }: VideoTrack,
  { startSeconds, endSeconds }: Pictures,
): number => Math.max(startSeconds, Math.min(atSeconds, endSeconds - 1 / toNumber(averageFrameRate)));

type Images = NonNullable<Thumbnails['images']>;

/**
 * A count of images shows the middles of as many parts of the video. A long video gets a longer interval, so that the
 * images cover all of it.
 */
function imageTimes({ count, interval = 1 }: Images, durationSeconds: number) {
  if (count !== undefined) {
    const stepSeconds = durationSeconds / count;
    return { images: count, firstSeconds: stepSeconds / 2, stepSeconds };
  }
  const stepSeconds = Math.max(interval, durationSeconds / maxImages);
  const images = Math.max(1, Math.min(maxImages, Math.ceil(durationSeconds / stepSeconds - 1e-9)));
  return { images, firstSeconds: 0, stepSeconds };
}

/** How many times the source of a video is opened for single images and the parts of a preview. */
export const plannedSeeks = ({ images, preview }: Thumbnails, durationSeconds: number): number =>
  (images ? imageTimes(images, durationSeconds).images : 0) + (preview?.seconds ?? 0);

function planImages(
  images: Images,
  display: Size,
  { originSeconds, durationSeconds }: Presentation,
  within: (atSeconds: number) => number,
): ImagesSpec {
  const { images: count, firstSeconds, stepSeconds } = imageTimes(images, durationSeconds);
  return {
    atSeconds: Array.from({ length: count }, (_, index) => within(originSeconds + firstSeconds + index * stepSeconds)),
    firstSeconds,
    stepSeconds,
    ...shrink(display, images.width),
    format: images.format,
  };
}

/** Each second of a preview is of another part of the video, unless the video is not longer than the preview. */
function planPreview(
  { seconds, width, format }: NonNullable<Thumbnails['preview']>,
  display: Size,
  { startSeconds, endSeconds }: Pictures,
): PreviewSpec {
  const videoSeconds = endSeconds - startSeconds;
  const isWhole = videoSeconds <= seconds;
  const distanceSeconds = videoSeconds / seconds;
  const size = shrink(display, width);
  return {
    startSeconds: isWhole
      ? [startSeconds]
      : Array.from({ length: seconds }, (_, part) => startSeconds + (part + 0.5) * distanceSeconds - 0.5),
    partSeconds: isWhole ? videoSeconds : 1,
    framesPerSecond: format === 'webp' ? 10 : 20,
    ...size,
    format,
    maxBytes: Math.round(previewBytes * (size.width / defaults.preview.width) ** 2),
  };
}

type ChosenPoster = {
  /** source time */
  atSeconds: number;
  revision: number;
  poster: NonNullable<Thumbnails['poster']>;
};

/** Only a poster: the frame that is shown at a time. */
export function planPoster(
  { atSeconds, revision, poster }: ChosenPoster,
  source: VideoSource,
  track: VideoTrack,
  frames: FrameIndex,
): ThumbnailsSpec {
  const secondsPerTick = toNumber(track.timeBase);
  const size = shrink({ width: source.displayWidth, height: source.displayHeight }, poster.width);
  const spec: PosterSpec = {
    atSeconds: beforeShownFrame(frames, secondsPerTick, atSeconds),
    ...size,
    format: poster.format,
    revision,
  };
  const durationSeconds = Math.max(0, track.endPts - track.startPts) * secondsPerTick;
  return { kind: 'thumbnails', source, durationSeconds, poster: spec, sprite: null };
}

/** A poster of an uploaded image, which is never larger than the image as it is shown. */
export function planUploadedPoster(
  image: UploadedImage,
  { revision, poster, background }: Pick<ChosenPoster, 'revision' | 'poster'> & { background: string | undefined },
): UploadedPosterSpec {
  const isTurned = image.orientation > 4;
  const shown = isTurned ? { width: image.height, height: image.width } : image;
  return {
    kind: 'thumbnails',
    image,
    backgroundRgb: rgbOf(background),
    poster: { ...shrink(shown, poster.width), format: poster.format, revision },
  };
}

/**
 * The worker takes the first frame from a time on. So this is a time between the frame that is shown and the one before
 * it, where no rounding leads to another frame.
 */
function beforeShownFrame({ ptsDeltas, before }: FrameIndex, secondsPerTick: number, atSeconds: number): number {
  // A player shows a frame at its exact time; times of clients are rounded to microseconds at most.
  const atTicks = (atSeconds + 0.000_001) / secondsPerTick;
  let pts = ptsDeltas[0] ?? 0;
  let delta = before ? 2 * (pts - before.cutPts) : 0;
  for (const next of ptsDeltas.slice(1)) {
    if (pts + next > atTicks) break;
    pts += next;
    delta = next;
  }
  return (pts - delta / 2) * secondsPerTick;
}

function planSprite(
  sprite: NonNullable<Thumbnails['sprite']>,
  display: Size,
  { originSeconds, durationSeconds }: Presentation,
): Omit<Sprite, 'decodesAll'> {
  const tile = shrink(display, sprite.width);
  const columns = Math.max(1, Math.min(sprite.columns, Math.floor(maxSheetSide / tile.width)));
  const rowPixels = columns * tile.width * tile.height;
  const rows = Math.max(
    1,
    Math.min(sprite.rows, Math.floor(maxSheetSide / tile.height), Math.floor(maxSheetPixels / rowPixels)),
  );
  // A long video gets a longer interval, so that the tiles cover all of it.
  const intervalSeconds = Math.max(sprite.interval, Math.ceil(durationSeconds / (maxSheets * columns * rows)));
  const tiles = Math.max(1, Math.ceil(durationSeconds / intervalSeconds - 1e-9));
  return {
    intervalSeconds,
    startSeconds: originSeconds,
    tileWidth: tile.width,
    tileHeight: tile.height,
    columns,
    rows,
    sheets: Math.ceil(tiles / (columns * rows)),
    tiles,
    format: sprite.format,
  };
}

/** Source times of the key frames, in seconds. */
function keyFrameSeconds({ ptsDeltas, keyFrames }: FrameIndex, secondsPerTick: number): number[] {
  const found: number[] = [];
  let pts = 0;
  for (const [position, delta] of ptsDeltas.entries()) {
    pts += delta;
    if (keyFrames[found.length] === position) found.push(pts * secondsPerTick);
  }
  return found;
}

/** Whether too many tiles would show a distant frame if they were made from key frames alone. */
function lacksKeyFrames(
  { tiles, intervalSeconds, startSeconds }: Omit<Sprite, 'decodesAll'>,
  keySeconds: number[],
  pictures: Pictures,
): boolean {
  let [distant, key] = [0, 0];
  for (let tile = 0; tile < tiles; tile++) {
    // before the first and after the last picture, a tile shows these
    const seconds = clamp(startSeconds + tile * intervalSeconds, pictures);
    while (keySeconds[key + 1]! <= seconds) key++;
    const nearest = Math.min(...keySeconds.slice(key, key + 2).map((at) => Math.abs(at - seconds)));
    if (nearest > intervalSeconds) distant++;
  }
  return distant > maxDistantShare * tiles;
}

const clamp = (seconds: number, { startSeconds, endSeconds }: Pictures): number =>
  Math.max(startSeconds, Math.min(seconds, endSeconds));

function shrink(display: Size, maxWidth: number): Size {
  const even = (length: number) => Math.max(2, 2 * Math.floor(length / 2));
  const width = even(Math.min(maxWidth, display.width));
  const height = 2 * Math.max(1, Math.round((width * display.height) / display.width / 2));
  return { width, height: Math.min(height, even(display.height)) };
}
