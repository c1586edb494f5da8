import { expect, test, vi } from 'vitest';
import type { Caption } from '../../../../dashboard/video/captions/caption-form.ts';

// The client of the pages is one of the page's own origin.
vi.stubGlobal('location', new URL('https://video.example.com'));
const { conflictWith } = await import('../../../../dashboard/video/caption-editor/stored-captions.ts');

const caption = { status: 'completed' } as Caption;
const file = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello\n';

test('captions that are as they were loaded are stored without a question', () => {
  expect(conflictWith({ caption, file }, file)).toBeUndefined();
});

test('captions that were changed, deleted or are made again are a conflict', () => {
  expect(conflictWith({ caption, file: file.replace('Hello', 'Hi') }, file)).toBe('changed');
  expect(conflictWith({ caption, file: null }, file)).toBe('changed');
  expect(conflictWith({ caption: { ...caption, status: 'pending' }, file }, file)).toBe('pending');
  expect(conflictWith(null, file)).toBe('deleted');
});
