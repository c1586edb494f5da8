import { describe, expect, test } from 'vitest';
import type { Query } from '../../../../dashboard/templates/query/query.ts';
import {
  addRendition,
  newQuery,
  type Resolution,
  removeRendition,
  setAudioCodec,
  setFormat,
  setRendition,
  setVideoMode,
} from '../../../../dashboard/templates/query/query-changes.ts';
import { readForm, setField, videoModeOf } from '../../../../dashboard/templates/query/query-form.ts';
import { presets } from '../../../../functions/templates/presets.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';
import { templatesConfig } from '../../../../functions/templates/templates-config.ts';

const resolutions = templatesConfig.resolutions as unknown as Resolution[];
/** Paths and messages of the faults that the service finds. */
const faultsOf = (query: Query): unknown[] =>
  (templateQuerySchema.safeParse(query).error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]);

test('a new template is valid', () => {
  expect(faultsOf(newQuery)).toEqual([]);
});

const queries: [string, Query][] = presets.map(({ slug, query }) => [slug, query as Query]);

describe.each(queries)('from the preset %s', (_, query) => {
  test.each(['ladder', 'fixed'] as const)('%s renditions of all sizes are valid', (mode) => {
    const changed = setVideoMode(query, mode, resolutions);
    expect(videoModeOf(changed)).toBe(mode);
    expect(faultsOf(changed)).toEqual([]);
  });

  test('all formats are valid, each once', () => {
    for (const { value } of templatesConfig.formats) {
      const { formats } = readForm(query);
      const changed = formats.includes(value) ? query : setFormat(query, value, true);
      expect(faultsOf(changed)).toEqual([]);
      expect(readForm(changed).formats).toContain(value);
      expect(readForm(setFormat(changed, value, false)).formats).not.toContain(value);
    }
  });

  test('removing and adding renditions keeps references right', () => {
    if (videoModeOf(query) !== 'fixed') return;
    const withMp4 = readForm(query).formats.includes('mp4') ? query : setFormat(query, 'mp4', true);
    const fewer = removeRendition(withMp4, 0);
    // The only rendition cannot be removed in the form.
    if (videoModeOf(fewer) === 'fixed') expect(faultsOf(fewer)).toEqual([]);
    expect(faultsOf(addRendition(withMp4, resolutions))).toEqual([]);
  });
});

test('a ladder becomes fixed renditions up to its height, and the reverse', () => {
  const fixed = setVideoMode({ ...newQuery, ladder: { codec: 'av1', max_height: 720 } }, 'fixed', resolutions);
  expect(fixed.video).toEqual([
    { name: 'v720', codec: 'av1', width: 1280, height: 720, bitrate: '2800k' },
    { name: 'v480', codec: 'av1', width: 854, height: 480, bitrate: '1400k' },
    { name: 'v360', codec: 'av1', width: 640, height: 360, bitrate: '800k' },
  ]);
  expect(setVideoMode(fixed, 'ladder', resolutions).ladder).toMatchObject({
    codec: 'av1',
    mode: 'quality',
    max_height: 720,
  });
});

test('without video, the outputs have the audio', () => {
  const changed = setVideoMode(newQuery, 'none', resolutions);
  expect(changed).not.toHaveProperty('ladder');
  expect(faultsOf(changed)).toEqual([]);
});

test('audio can be removed and added', () => {
  const silent = setAudioCodec(newQuery, '');
  expect(readForm(silent).audioCodec).toBe('');
  expect(faultsOf(silent)).toEqual([]);
  const again = setAudioCodec(silent, 'opus');
  expect(again.audio).toEqual([{ name: 'stereo', codec: 'opus', bitrate: '128k' }]);
  expect(faultsOf(again)).toEqual([]);
});

test('a rendition keeps what is typed, as the API expects it', () => {
  const fixed = setVideoMode(newQuery, 'fixed', resolutions);
  const typed = setRendition(setRendition(fixed, 1, 'height', '7x'), 1, 'bitrate', '2500000');
  expect(typed).toMatchObject({ video: [{ height: 1080 }, { height: '7x', bitrate: '2500000' }, {}, {}] });
  expect(faultsOf(typed)).toMatchObject([['video.1.height', expect.stringContaining('whole number')]]);
  expect(setRendition(fixed, 0, 'width', '').video).not.toHaveProperty('0.width');
});

test('a template of MP4 files has one file for each rendition', () => {
  const mp4 = presets.find(({ slug }) => slug === 'mp4-720p')!.query as Query;
  const more = addRendition(mp4, resolutions);
  expect(more.outputs).toEqual([
    { name: 'mp4', format: 'mp4', faststart: true, video: ['v720'] },
    { name: 'mp4-2', format: 'mp4', faststart: true, video: ['v2160'] },
  ]);
  const back = removeRendition(more, 0);
  expect(back.outputs).toEqual([{ name: 'mp4', format: 'mp4', faststart: true, video: ['v720'] }]);
  expect(faultsOf(back)).toEqual([]);
});

test('a rendition is added with the settings of the others, and its own name', () => {
  const fixed = setField(setVideoMode(newQuery, 'fixed', resolutions), 'maxFps', '30');
  const more = addRendition(fixed, resolutions);
  expect(more).toMatchObject({ video: [{ name: 'v2160', height: 2160, fps: 30 }, {}, {}, {}, {}] });
  expect(faultsOf(more)).toEqual([]);
});
