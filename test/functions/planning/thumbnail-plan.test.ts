import { describe, expect, test } from 'vitest';
import { planPoster, planThumbnails } from '../../../functions/planning/thumbnail-plan.ts';
import type { Presentation } from '../../../functions/planning/video/frame-grid.ts';
import { videoSource } from '../../../functions/planning/video/video-source.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { evenIndex, videoTrack } from './source-fixture.ts';

/** What a track covers by itself. */
const alone = ({ startPts, endPts }: VideoTrack): Presentation => ({
  originSeconds: startPts / 15_360,
  durationSeconds: (endPts - startPts) / 15_360,
});

function thumbnails(settings: object, track: VideoTrack, framesPerKeyFrame?: number, presentation = alone(track)) {
  const query = templateQuerySchema.parse({
    ladder: { codec: 'h264' },
    outputs: [{ format: 'hls' }],
    thumbnails: settings,
  });
  return planThumbnails(
    query.thumbnails!,
    videoSource(track, { formatName: 'matroska,webm', clockSections: [] }),
    { track, frames: evenIndex(track, framesPerKeyFrame) },
    presentation,
  );
}

const late = videoTrack({ frameCount: 3000, startPts: 5 * 15360 });

test('the poster position is a percentage or seconds, in source time', () => {
  const at = (position: string) => thumbnails({ poster: { at: position } }, late)?.poster?.atSeconds;
  expect(at('10%')).toBe(15);
  expect(at('0%')).toBe(5);
  expect(at('12.5s')).toBe(17.5);
});

test('a position after the end is the last frame', () => {
  const at = (position: string) => thumbnails({ poster: { at: position } }, late)?.poster?.atSeconds;
  expect(at('100%')).toBeCloseTo(105 - 1 / 30, 9);
  expect(at('7200s')).toBeCloseTo(105 - 1 / 30, 9);
  const single = videoTrack({ frameCount: 1 });
  expect(thumbnails({ poster: { at: '50%' } }, single)?.poster?.atSeconds).toBe(0);
});

test('tiles cover the presentation, and the poster shows a picture of the source', () => {
  // sound from second 0 to 200, pictures from 5 to 105
  const presentation = { originSeconds: 0, durationSeconds: 200 };
  const made = (at: string, secondsPerKeyFrame = 2) =>
    thumbnails({ poster: { at }, sprite: {} }, late, 30 * secondsPerKeyFrame, presentation);
  expect(made('10%')).toMatchObject({
    durationSeconds: 200,
    sprite: { startSeconds: 0, tiles: 20, decodesAll: false },
  });
  expect(['10%', '0s', '12.5s', '150s'].map((at) => made(at)?.poster?.atSeconds)).toEqual([
    15,
    5,
    12.5,
    expect.closeTo(105 - 1 / 30, 9),
  ]);
});

test('image sizes are even and never exceed the video', () => {
  const poster = (width: number, height: number) => {
    const { width: w, height: h } = thumbnails({ poster: {} }, videoTrack({ frameCount: 30, width, height }))!.poster!;
    return [w, h];
  };
  expect(poster(1920, 1080)).toEqual([1280, 720]);
  expect(poster(640, 360)).toEqual([640, 360]);
  expect(poster(161, 121)).toEqual([160, 120]);
  expect(poster(1080, 1920)).toEqual([1080, 1920]);
});

test('a sprite has a tile for each interval, on as many sheets as needed', () => {
  expect(thumbnails({ sprite: {} }, late)?.sprite).toEqual({
    intervalSeconds: 10,
    startSeconds: 5,
    tileWidth: 160,
    tileHeight: 90,
    columns: 10,
    rows: 10,
    sheets: 1,
    tiles: 10,
    decodesAll: false,
    format: 'jpg',
  });
  expect(thumbnails({ sprite: { interval: 3, columns: 4, rows: 4 } }, late)?.sprite).toMatchObject({
    tiles: 34,
    sheets: 3,
  });
});

test('a sprite uses key frames unless too many tiles would show a distant frame', () => {
  const decodesAll = (interval: number, secondsPerKeyFrame: number, track = late) =>
    thumbnails({ sprite: { interval } }, track, 30 * secondsPerKeyFrame)!.sprite!.decodesAll;
  expect(decodesAll(10, 10)).toBe(false);
  expect(decodesAll(5, 10)).toBe(false);
  expect(decodesAll(2, 10)).toBe(true);
  expect(decodesAll(10, 1000)).toBe(true);
  const long = videoTrack({ frameCount: 30 * 3601, width: 1920, height: 1080 });
  expect(decodesAll(10, 1000, long)).toBe(false);
});

test('sheets stay within the limits of image formats and players', () => {
  const tall = videoTrack({ frameCount: 300, width: 640, height: 2000 });
  const sprite = thumbnails({ sprite: { width: 640, columns: 20, rows: 20 } }, tall)!.sprite!;
  expect(sprite.columns * sprite.tileWidth).toBeLessThan(16_384);
  expect(sprite.rows * sprite.tileHeight).toBeLessThan(16_384);
  expect(sprite.rows).toBeGreaterThanOrEqual(1);
});

test('a long video gets a longer interval instead of more than 500 sheets', () => {
  const day = videoTrack({ frameCount: 86_400, averageFrameRate: { num: 1, den: 1 } });
  const sprite = thumbnails({ sprite: { interval: 1, columns: 1, rows: 1 } }, day)!.sprite!;
  expect(sprite).toMatchObject({ intervalSeconds: 173, tiles: 500, sheets: 500 });
});

test('a template without thumbnails has no plan for them', () => {
  expect(thumbnails({}, late)).toBeNull();
});

test('a sprite of a track without key frames always uses all frames', () => {
  const track = videoTrack({ frameCount: 24 * 3600 * 30, width: 1920, height: 1080 });
  const { thumbnails: settings } = templateQuerySchema.parse({
    ladder: { codec: 'h264' },
    outputs: [{ format: 'hls' }],
    thumbnails: { sprite: {} },
  });
  const frames = { ...evenIndex(track), keyFrames: [] };
  const source = videoSource(track, { formatName: 'mpegts', clockSections: [] });
  expect(planThumbnails(settings!, source, { track, frames }, alone(track))?.sprite?.decodesAll).toBe(true);
});

describe('images', () => {
  test('a count of them shows the middles of equal parts', () => {
    const { images } = thumbnails({ images: { count: 4 } }, late)!;
    expect(images).toMatchObject({ atSeconds: [17.5, 42.5, 67.5, 92.5], firstSeconds: 12.5, stepSeconds: 25 });
    expect(images).toMatchObject({ width: 640, height: 360, format: 'jpg' });
  });

  test('an interval begins at 0 and covers the video with at most 100 of them', () => {
    const made = (interval: number) => thumbnails({ images: { interval } }, late)!.images!;
    expect(made(30)).toMatchObject({ atSeconds: [5, 35, 65, 95], firstSeconds: 0, stepSeconds: 30 });
    expect(made(1).atSeconds).toHaveLength(100);
    const long = videoTrack({ frameCount: 30 * 7200 });
    const { atSeconds, stepSeconds } = thumbnails({ images: { interval: 1 } }, long)!.images!;
    expect({ count: atSeconds.length, stepSeconds, last: atSeconds.at(-1) }).toEqual({
      count: 100,
      stepSeconds: 72,
      last: 7128,
    });
  });

  test('are of pictures of the source where the sound is longer', () => {
    const presentation = { originSeconds: 0, durationSeconds: 200 };
    const { images } = thumbnails({ images: { count: 2 } }, late, 60, presentation)!;
    expect(images!.atSeconds).toEqual([50, expect.closeTo(105 - 1 / 30, 9)]);
  });
});

describe('a preview', () => {
  test('has a second of each of as many parts of the video', () => {
    const { preview } = thumbnails({ preview: { seconds: 4 } }, late)!;
    expect(preview).toEqual({
      startSeconds: [17, 42, 67, 92],
      partSeconds: 1,
      framesPerSecond: 10,
      width: 320,
      height: 180,
      format: 'webp',
      maxBytes: 400_000,
    });
  });

  test('of a short video is all of it', () => {
    const short = videoTrack({ frameCount: 90 });
    expect(thumbnails({ preview: {} }, short)!.preview).toMatchObject({ startSeconds: [0], partSeconds: 3 });
  });

  test('may be larger where it is wider, and is never wider than the video', () => {
    const small = videoTrack({ frameCount: 90, width: 160, height: 90 });
    expect(thumbnails({ preview: { width: 640, format: 'mp4' } }, late)!.preview).toMatchObject({
      maxBytes: 1_600_000,
      framesPerSecond: 20,
    });
    expect(thumbnails({ preview: {} }, small)!.preview).toMatchObject({ width: 160, maxBytes: 100_000 });
  });
});

describe('a chosen poster', () => {
  const chosen = (atSeconds: number, ptsDeltas: number[]): number => {
    const track = videoTrack({ frameCount: ptsDeltas.length });
    const source = videoSource(track, { formatName: 'matroska,webm', clockSections: [] });
    const index = { ...evenIndex(track), ptsDeltas };
    const poster = { at: '10%', width: 640, format: 'jpg' } as const;
    return planPoster({ atSeconds, revision: 2, poster }, source, track, index).poster!.atSeconds;
  };
  /** A frame every 512 ticks of 1/15,360 s. */
  const even = [0, ...Array.from({ length: 299 }, () => 512)];

  test('is between its frame and the one before, also at the exact time of a frame and at times rounded by a client', () => {
    for (const frame of [1, 7, 100, 299]) {
      for (const seconds of [frame / 30, Number((frame / 30).toFixed(6)), (frame + 0.5) / 30, (frame + 0.99) / 30]) {
        expect(chosen(seconds, even)).toBeCloseTo((frame - 0.5) / 30, 9);
      }
    }
  });

  test('of a variable frame rate is the frame that is shown at that time', () => {
    const uneven = [1536, 15_360, 512, 512, 30_720];
    expect(chosen(0.5, uneven)).toBeCloseTo(0.1, 9);
    expect(chosen(1.1, uneven)).toBeCloseTo(0.6, 9);
    expect(chosen(2.5, uneven)).toBeCloseTo((1536 + 15_360 + 512 + 256) / 15_360, 9);
  });

  test('before the first and after the last frame is the first and the last one', () => {
    expect(chosen(0, even)).toBe(0);
    expect(chosen(99, even)).toBeCloseTo(298.5 / 30, 9);
  });
});
