import { expect, test } from 'vitest';
import { framesOf, spreadOf } from '../../../dashboard/video/storyboard.ts';

const vtt = `WEBVTT

00:00:00.000 --> 00:00:10.000
sprite-001.jpg#xywh=0,0,160,90

01:00:10.000 --> 01:00:14.600
sprite-002.jpg#xywh=160,90,160,90
`;

test('each cue is a frame of a picture beside the file', () => {
  expect(framesOf(vtt, 'https://media.example.com/s/key/thumbnails/sprite.vtt')).toEqual([
    {
      atSeconds: 5,
      imageUrl: 'https://media.example.com/s/key/thumbnails/sprite-001.jpg',
      x: 0,
      y: 0,
      width: 160,
      height: 90,
    },
    {
      atSeconds: 3612.3,
      imageUrl: 'https://media.example.com/s/key/thumbnails/sprite-002.jpg',
      x: 160,
      y: 90,
      width: 160,
      height: 90,
    },
  ]);
  expect(framesOf('WEBVTT\n', 'https://media.example.com/sprite.vtt')).toEqual([]);
});

test('of many frames some are taken, evenly from the first on', () => {
  const frames = Array.from({ length: 10 }, (_, index) => ({
    ...framesOf(vtt, 'https://example.com/')[0]!,
    atSeconds: index,
  }));
  expect(spreadOf(frames, 4).map(({ atSeconds }) => atSeconds)).toEqual([0, 2, 5, 7]);
  expect(spreadOf(frames, 24)).toEqual(frames);
});
