import { expect, test } from 'vitest';
import {
  formOfSource,
  sourceOfForm,
  sourceOfVideo,
  sourcePresets,
} from '../../../../dashboard/templates/preview/preview-source.ts';

test('a source is the same after it was shown in the fields', () => {
  for (const source of Object.values(sourcePresets)) expect(sourceOfForm(formOfSource(source))).toEqual(source);
});

test.each(['', ' ', 'x', '12x', 'Infinity'])('the width %j is no number', (width) => {
  expect(sourceOfForm({ ...formOfSource(sourcePresets['1080p30']), width })).toBeUndefined();
});

const stream = (changes: object) => ({ type: 'original', width: 1280, height: 720, meta: {}, ...changes });
const video = (duration: number | null, ...streams: object[]) => ({ duration, streams }) as never;

test('the source of a video has the frame rate that its probe found', () => {
  const meta = { streams: [{ avg_frame_rate: '0/0' }, { avg_frame_rate: '30000/1001' }] };
  expect(sourceOfVideo(video(12.5, { type: 'video', width: 1 }, stream({ meta })))).toEqual({
    width: 1280,
    height: 720,
    fps: 29.97,
    duration_seconds: 12.5,
  });
});

test.each([[{}], [{ streams: 'x' }], [{ streams: [{}] }], [null]])('with the probe %j it is 30', (meta) => {
  expect(sourceOfVideo(video(5, stream({ meta })))).toMatchObject({ fps: 30 });
});

test('a video that is not probed, or has no picture, is no source', () => {
  expect(sourceOfVideo(video(null, stream({})))).toBeUndefined();
  expect(sourceOfVideo(video(5, stream({ width: null, height: null })))).toBeUndefined();
  expect(sourceOfVideo(video(5))).toBeUndefined();
});
