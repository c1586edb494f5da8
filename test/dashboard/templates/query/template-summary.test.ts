import { expect, test } from 'vitest';
import { newQuery } from '../../../../dashboard/templates/query/query-changes.ts';
import { summaryOf } from '../../../../dashboard/templates/query/template-summary.ts';

test('of a ladder', () => {
  expect(summaryOf(newQuery)).toEqual({
    videoCodecs: ['h264'],
    maxHeight: 1080,
    isLadder: true,
    renditionCount: 0,
    audioCodecs: ['aac'],
    formats: ['hls'],
  });
});

test('of fixed renditions, one without a height', () => {
  const video = [{ codec: 'h264', height: 360 }, { codec: 'hevc' }, { codec: 'h264', height: 720 }];
  const outputs = [{ format: 'hls' }, { format: 'mp4' }, { format: 'hls' }];
  expect(summaryOf({ video, outputs })).toMatchObject({
    videoCodecs: ['h264', 'hevc'],
    maxHeight: 720,
    isLadder: false,
    renditionCount: 3,
    formats: ['hls', 'mp4'],
  });
});

test('of anything', () => {
  expect(summaryOf({})).toMatchObject({ videoCodecs: [], maxHeight: undefined, renditionCount: 0, formats: [] });
});
