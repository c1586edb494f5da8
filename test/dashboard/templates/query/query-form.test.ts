import { expect, test } from 'vitest';
import { parseQuery, queryJson } from '../../../../dashboard/templates/query/query.ts';
import {
  canCopy,
  jsonValue,
  mixed,
  readForm,
  setField,
  shownList,
} from '../../../../dashboard/templates/query/query-form.ts';

const ladder = {
  version: 1,
  ladder: { codec: 'hevc', max_height: 2160, profile: 'main10', preset: 'slow' },
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '192k', languages: ['en', 'de'], loudness: -23 }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { format: 'mp4', faststart: true },
  ],
  future: { unknown: ['kept'] },
};
const fixed = {
  video: [
    { name: 'v720', codec: 'h264', height: 720, bitrate: '2800k', fps: 30 },
    { name: 'v360', codec: 'h264', height: 360, bitrate: '800k', fps: 25 },
  ],
  outputs: [
    { format: 'hls', segment_duration: 6 },
    { format: 'dash', segment_duration: 4 },
  ],
};

test('the form of a ladder', () => {
  expect(readForm(ladder)).toEqual({
    videoMode: 'ladder',
    videoCodec: 'hevc',
    maxHeight: '2160',
    maxRenditions: '',
    ladderMode: '',
    maxFps: '',
    encoderPreset: 'slow',
    copy: '',
    formats: ['hls', 'mp4'],
    segmentSeconds: '4',
    audioCodec: 'aac',
    audioBitrate: '192k',
    audioTracks: '["en","de"]',
    embeddedCaptions: '',
    generatedCaptions: '',
    generateLanguages: '',
    images: '',
    preview: '',
  });
});

test('the form of fixed renditions, with different values', () => {
  expect(readForm(fixed)).toMatchObject({
    videoMode: 'fixed',
    videoCodec: 'h264',
    maxHeight: '',
    maxFps: mixed,
    segmentSeconds: mixed,
    audioCodec: '',
  });
  expect(setField(fixed, 'maxFps', mixed)).toBe(fixed);
});

test('the form of odd JSON is empty and changes nothing but what it sets', () => {
  for (const query of [{}, { video: 'x', audio: 5, outputs: null, ladder: [] }, { outputs: ['x', 7] }]) {
    expect(readForm(query)).toMatchObject({ videoMode: 'none', formats: [], audioCodec: '' });
    expect(setField(query, 'maxFps', '30')).toEqual(query);
  }
});

test('a field changes its key and keeps all others, and their order', () => {
  const changed = setField(ladder, 'maxHeight', '720');
  expect(changed).toEqual({ ...ladder, ladder: { ...ladder.ladder, max_height: 720 } });
  expect(Object.keys(changed)).toEqual(Object.keys(ladder));
  expect(Object.keys(changed.ladder as object)).toEqual(Object.keys(ladder.ladder));
  expect(setField(ladder, 'encoderPreset', '')).toEqual({
    ...ladder,
    ladder: { codec: 'hevc', max_height: 2160, profile: 'main10' },
  });
  expect(setField(ladder, 'audioTracks', 'all')).toMatchObject({ audio: [{ languages: 'all', loudness: -23 }] });
});

test('a field of fixed renditions is set in all of them, the segment length not in MP4 files', () => {
  expect(setField(fixed, 'maxFps', '50')).toMatchObject({ video: [{ fps: 50 }, { fps: 50 }] });
  expect(setField(ladder, 'segmentSeconds', '8')).toMatchObject({
    outputs: [{ segment_duration: 8 }, { format: 'mp4' }],
  });
  expect(setField(ladder, 'segmentSeconds', '8').outputs).not.toHaveProperty('1.segment_duration');
});

test('another codec drops the profile of the codec before', () => {
  expect(setField(ladder, 'videoCodec', 'av1').ladder).toEqual({ codec: 'av1', max_height: 2160, preset: 'slow' });
});

test('what is set is read again, through JSON too', () => {
  const changed = setField(ladder, 'audioTracks', '["fr"]');
  const { query } = parseQuery(queryJson(changed));
  expect(query).toEqual(changed);
  expect(readForm(query!).audioTracks).toBe('["fr"]');
});

test.each([
  ['', undefined],
  ['30', 30],
  ['29.97', 29.97],
  ['5000k', '5000k'],
  ['six', 'six'],
  ['6 s', '6 s'],
  ['["en"]', ['en']],
  ['["en', '["en'],
])('the text %j of a control is %j in JSON', (text, value) => {
  expect(jsonValue(text)).toEqual(value);
});

test.each(['', '{', '[]', 'null', '5'])('%j is no query, and says why', (json) => {
  expect(parseQuery(json)).toEqual({ fault: expect.stringMatching(/\w/) });
});

test('the text tracks that become captions are a key of their own', () => {
  const query = { outputs: [{ format: 'hls' }] };
  expect(readForm(query).embeddedCaptions).toBe('');
  const none = setField(query, 'embeddedCaptions', 'none');
  expect(none).toEqual({ ...query, captions: { embedded: 'none' } });
  expect(readForm(none).embeddedCaptions).toBe('none');
  expect(setField(none, 'embeddedCaptions', '')).toEqual(query);
  const generating = { ...query, captions: { generate: 'missing' } };
  expect(setField(setField(generating, 'embeddedCaptions', 'none'), 'embeddedCaptions', '')).toEqual(generating);
  const both = setField({ ...query, captions: { embedded: 'none' } }, 'generatedCaptions', 'always');
  expect(both.captions).toEqual({ embedded: 'none', generate: 'always' });
  expect(readForm(both)).toMatchObject({ embeddedCaptions: 'none', generatedCaptions: 'always' });
  expect(readForm({ captions: { embedded: ['de'] } }).embeddedCaptions).toBe('["de"]');
});

test('the languages of captions from speech are a list with commas between them', () => {
  const query = { captions: { generate: 'missing' } };
  const chosen = setField(query, 'generateLanguages', ' de,pt-BR, ');
  expect(chosen).toEqual({ captions: { generate: 'missing', generate_languages: ['de', 'pt-BR'] } });
  expect(readForm(chosen).generateLanguages).toBe('de, pt-BR');
  expect(setField(chosen, 'generateLanguages', ' , ')).toEqual(query);
  expect(readForm({ captions: { generate_languages: 'de' } }).generateLanguages).toBe('de');
  expect(shownList('de,', 'de')).toBe('de,');
  expect(shownList('de,', 'fr')).toBe('fr');
});

test('the mode of a ladder and copies are set, kept and removed', () => {
  const query = { ...ladder, copy: 'auto', ladder: { ...ladder.ladder, mode: 'quality' } };
  expect(readForm(query)).toMatchObject({ ladderMode: 'quality', copy: 'auto' });
  expect(setField(query, 'maxHeight', '2160')).toEqual(query);
  expect(setField(query, 'ladderMode', 'bitrate')).toMatchObject({ copy: 'auto', ladder: { mode: 'bitrate' } });
  expect(setField(setField(query, 'ladderMode', ''), 'copy', '')).toEqual(ladder);
  expect(setField(ladder, 'copy', 'off')).toEqual({ ...ladder, copy: 'off' });
  // fixed renditions have no mode
  expect(setField(fixed, 'ladderMode', 'quality')).toEqual(fixed);
  expect(readForm({ ...fixed, copy: 'later' }).copy).toBe('later');
});

test('only H.264 can be copied', () => {
  expect([canCopy(ladder), canCopy(fixed), canCopy({})]).toEqual([false, true, false]);
  expect(canCopy(setField(ladder, 'videoCodec', 'h264'))).toBe(true);
});

test('images and the preview are set with the keys that the form does not show', () => {
  const query = { thumbnails: { poster: {}, images: { count: 5, width: 320 }, preview: { seconds: 4 } } };
  expect(readForm(query)).toMatchObject({ images: 'count 5', preview: 'webp' });
  expect(setField(query, 'images', 'interval 10')).toEqual({
    thumbnails: { ...query.thumbnails, images: { interval: 10, width: 320 } },
  });
  expect(setField(query, 'preview', 'mp4')).toMatchObject({ thumbnails: { preview: { seconds: 4, format: 'mp4' } } });
  expect(setField(setField(query, 'images', ''), 'preview', '')).toEqual({ thumbnails: { poster: {} } });
  expect(setField(setField({}, 'images', 'count 1'), 'images', '')).toEqual({});
});
