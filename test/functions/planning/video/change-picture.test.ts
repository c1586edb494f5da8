import { describe, expect, test } from 'vitest';
import { narrowToClip } from '../../../../functions/planning/narrow-to-clip.ts';
import { planVideo } from '../../../../functions/planning/plan-video.ts';
import { changedTrack, changeSource } from '../../../../functions/planning/video/change-picture.ts';
import { displaySize } from '../../../../functions/planning/video/display-size.ts';
import { videoSource } from '../../../../functions/planning/video/video-source.ts';
import { pictureSchema } from '../../../../functions/templates/query-structure.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';
import type { VideoTrack } from '../../../../shared/protocol/probe-result.ts';
import { evenIndex, probeOf, videoTrack } from '../source-fixture.ts';

const second = { frameCount: 30 };
const change = (settings: object, track: Partial<VideoTrack> = {}) =>
  changedTrack(videoTrack({ ...second, ...track }), pictureSchema.parse(settings));

describe('a crop', () => {
  const size = (crop: object, track: Partial<VideoTrack> = {}, more: object = {}) =>
    displaySize(change({ crop, ...more }, track));

  test('is in pixels or shares of the picture as displayed', () => {
    expect(size({ left: 100, right: 20, top: 10, bottom: '25%' })).toEqual({ width: 1800, height: 800 });
    expect(size({ left: '12.5%' }, { width: 640, height: 360 })).toEqual({ width: 560, height: 360 });
    expect(size({ top: '50%' }, { rotationDegrees: 90 })).toEqual({ width: 1080, height: 960 });
  });

  test('of pixels that are not square has the pixels of the display', () => {
    const anamorphic = { width: 720, height: 576, sampleAspectRatio: { num: 64, den: 45 } };
    const track = change({ crop: { left: 256 } }, anamorphic);
    expect(track.change?.crop).toEqual({ left: 180, top: 0, width: 540, height: 576 });
    expect(displaySize(track)).toEqual({ width: 768, height: 576 });
  });

  test('has even sides and distances, and of interlaced frames every fourth line', () => {
    const odd = { width: 641, height: 361 };
    const crop = { left: 3, top: 5, right: 1, bottom: 1 };
    expect(change({ crop }, odd).change?.crop).toEqual({ left: 4, top: 6, width: 634, height: 352 });
    const interlaced = change({ crop }, { ...odd, interlaced: true });
    expect(interlaced.change?.crop).toEqual({ left: 4, top: 4, width: 634, height: 356 });
  });

  test('comes before the rotation', () => {
    expect(size({ left: 960 }, {}, { rotate: 90 })).toEqual({ width: 1080, height: 960 });
    expect(size({ left: 960 }, {}, { rotate: 180, flip: 'vertical' })).toEqual({ width: 960, height: 1080 });
  });

  test.each([
    [{ left: 1910 }, { width: 1920, height: 1080 }],
    [
      { top: 600, bottom: 500 },
      { width: 1920, height: 1080 },
    ],
    [
      { left: '60%', right: 800 },
      { width: 1920, height: 1080 },
    ],
    [
      { top: 0, right: 4 },
      { width: 18, height: 18 },
    ],
  ])('%j that leaves too little of %j is an error that says so', (crop, track) => {
    const { width, height } = track;
    expect(() => change({ crop }, track)).toThrow(
      expect.objectContaining({
        code: 'INPUT_CROP_EMPTY',
        message: `The picture has ${width} × ${height} pixels, of which the crop leaves less than 16 × 16. Cut off less of it.`,
      }),
    );
  });

  test('of less than a pixel is none', () => {
    expect(change({ crop: { top: '0.05%' } })).toEqual(videoTrack(second));
  });
});

test('settings that change nothing leave the track as it is', () => {
  expect(change({})).toEqual(videoTrack(second));
  expect(change({ deinterlace: 'double' })).toEqual(videoTrack(second));
  expect(change({ deinterlace: 'auto' }, { interlaced: true })).toEqual(videoTrack({ ...second, interlaced: true }));
});

test('frames of changing sizes are fitted into whole pairs of pixels before', () => {
  const pixelAspects = [{ fromPts: 0, sampleAspectRatio: { num: 1, den: 1 } }];
  expect(change({ rotate: 90 }, { width: 641, height: 361, pixelAspects }).change).toEqual({
    frame: { width: 640, height: 360 },
    rotateDegrees: 90,
  });
});

const interlaced = {
  ...second,
  interlaced: true,
  averageFrameRate: { num: 25, den: 1 },
  timeBase: { num: 1, den: 50 },
};
const doubled = (track: VideoTrack, query: object = {}) =>
  changeSource(
    { probe: probeOf({ video: track }), frames: evenIndex(track, 10) },
    { picture: pictureSchema.parse({ deinterlace: 'double', ...query }) },
  );

test('with double, each field is a frame on a clock of half ticks', () => {
  const track = videoTrack({ ...interlaced, frameCount: 3, startPts: 7 });
  const { probe, frames } = doubled(track);
  expect(probe.video).toMatchObject({
    timeBase: { num: 1, den: 100 },
    averageFrameRate: { num: 50, den: 1 },
    frameCount: 6,
    startPts: 14,
    endPts: 26,
    deinterlace: 'double',
  });
  expect(frames).toEqual({
    ptsDeltas: [14, 2, 2, 2, 2, 2],
    keyFrames: [0],
    endByteDeltas: [1000, 0, 1000, 0, 1000, 0],
  });
  // times of the file itself are in its own ticks
  expect(videoSource(probe.video!, probe).timeBase).toEqual({ num: 1, den: 50 });
});

test('with double, a clip is cut between the fields of two frames', () => {
  const track = videoTrack({ ...interlaced, frameCount: 30 });
  const whole = { probe: probeOf({ video: track }), frames: evenIndex(track, 10) };
  const clip = narrowToClip(whole, { startSeconds: 0.48, endSeconds: 0.8 });
  const { frames } = changeSource(clip, { picture: pictureSchema.parse({ deinterlace: 'double' }) });
  // The fields of the frames before, in and after it begin at 46, 48 to 78, and 80.
  expect([frames?.ptsDeltas[0], frames?.ptsDeltas.length]).toEqual([48, 16]);
  expect(frames?.before).toEqual({ firstPts: 0, keyPts: 40, keyTicks: 4, cutPts: 47 });
  expect(frames?.after).toMatchObject({ cutPts: 79 });
});

test('a last frame that lasts shorter than the others keeps both of its fields', () => {
  const track = { ...videoTrack({ ...interlaced, frameCount: 2, timeBase: { num: 1, den: 1000 } }), endPts: 41 };
  const { probe, frames } = doubled(track);
  expect(frames?.ptsDeltas).toEqual([0, 40, 40, 40]);
  expect(probe.video?.endPts).toBe(121);
});

test('fields of a variable frame rate are frames of the doubled grid', () => {
  const grid = { ...interlaced, constantFrameRate: false, gridFrameRate: { num: 30_000, den: 1001 } };
  expect(doubled(videoTrack(grid)).probe.video?.gridFrameRate).toEqual({ num: 60_000, den: 1001 });
});

test('one frame has no fields to show one after the other', () => {
  const still = videoTrack({ ...interlaced, frameCount: 1 });
  expect(doubled(still).probe.video).toEqual(still);
});

describe('a plan', () => {
  const planned = (picture: object, track: Partial<VideoTrack> = {}) => {
    const video = videoTrack({ frameCount: 250, width: 720, height: 576, ...track });
    const query = { ladder: { codec: 'h264' }, outputs: [{ format: 'hls' }], thumbnails: { poster: {} }, picture };
    return planVideo({
      probe: probeOf({ video, sizeBytes: 10_000_000 }),
      frames: evenIndex(video, 25),
      query: templateQuerySchema.parse(query),
      capacity: 1,
    });
  };

  test('has the size and the shape of the changed picture everywhere', () => {
    const { aspectRatio, source, streams, thumbnails } = planned({ crop: { left: '50%' }, rotate: 270 });
    expect(aspectRatio).toBe('8:5');
    expect(source).toMatchObject({ displayWidth: 576, displayHeight: 360 });
    expect(streams[0]).toMatchObject({ width: 576, height: 360 });
    expect(thumbnails).toMatchObject({ poster: { width: 576, height: 360 } });
  });

  test('of fields has the rate and the bitrates of 50 frames per second, and chunks that meet between frames', () => {
    const of = (deinterlace: string) =>
      planned({ deinterlace }, { interlaced: true, averageFrameRate: { num: 25, den: 1 } });
    const [fields, whole] = [of('double'), of('auto')];
    const last = fields.groups[0]!.chunks.at(-1)!;
    expect([last.endFrame, last.endPts]).toEqual([500, 307_200]);
    expect(fields.groups[0]?.grid).toMatchObject({
      mode: 'passthrough',
      frameRate: { num: 50, den: 1 },
      gopFrames: 100,
    });
    expect(fields.durationSeconds).toBe(whole.durationSeconds);
    const bitrate = ({ groups }: typeof fields) => groups.flatMap(({ rungs }) => rungs)[0]?.rate;
    expect(bitrate(whole)).toMatchObject({ bitrateBps: 800_000 });
    expect(bitrate(fields)).toMatchObject({ bitrateBps: 1_120_000 });
  });

  test('with off has the frames as they are', () => {
    const { source, groups } = planned({ deinterlace: 'off' }, { interlaced: true });
    expect(source).toMatchObject({ interlaced: true, deinterlace: 'off' });
    expect(groups[0]?.grid.frameRate).toEqual({ num: 30, den: 1 });
  });
});
