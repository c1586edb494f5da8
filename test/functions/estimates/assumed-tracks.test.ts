import { expect, test } from 'vitest';
import { assumedTracks } from '../../../functions/estimates/assumed-tracks.ts';
import { audioTrackSchema, videoTrackSchema } from '../../../shared/protocol/probe-result.ts';

const source = { width: 1280, height: 720, fps: 29.97, durationSeconds: 60 };

test('the tracks are those that a probe could find', () => {
  const { video, audio } = assumedTracks(source);
  expect(videoTrackSchema.parse(video)).toEqual({ ...video, hdr10: null });
  expect(audio.map((track) => audioTrackSchema.parse(track))).toEqual(audio);
  expect(audio).toMatchObject([{ channels: 2, durationSeconds: 60 }]);
});

test('a rate in decimal notation is the exact one', () => {
  const { video } = assumedTracks(source);
  expect(video).toMatchObject({ averageFrameRate: { num: 30_000, den: 1001 }, frameCount: 1798, endPts: 1798 });
});

test('the shortest source has one frame', () => {
  expect(assumedTracks({ ...source, durationSeconds: 0.001 }).video.frameCount).toBe(1);
});
