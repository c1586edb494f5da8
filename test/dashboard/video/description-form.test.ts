import { expect, test } from 'vitest';
import { localInput, metadataChanges, metadataLines } from '../../../dashboard/video/description-form.ts';

test('the pairs of a video are lines, and unchanged lines change nothing', () => {
  const metadata = { album: 'Summer', formula: 'a = b' };
  expect(metadataLines(metadata)).toBe('album = Summer\nformula = a = b');
  expect(metadataChanges(metadata, metadataLines(metadata))).toEqual({});
});

test('lines that are gone remove their pairs, and others set them', () => {
  const metadata = { album: 'Summer', camera: 'X1', constructor: 'a' };
  const changes = metadataChanges(metadata, ' album=Winter \n\nplace = Sea\nconstructor = a\n');
  expect(changes).toEqual({ album: 'Winter', camera: null, place: 'Sea' });
  expect(metadataChanges({}, 'no value')).toEqual({ 'no value': '' });
});

test('an instant is shown in the time zone of the browser, and read as such', () => {
  const shown = localInput('2026-11-20T10:30:00.000000Z');
  expect(shown).toMatch(/^2026-11-\d\dT\d\d:\d\d$/);
  expect(new Date(shown).toISOString()).toBe('2026-11-20T10:30:00.000Z');
});
