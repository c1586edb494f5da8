import { expect, test } from 'vitest';
import {
  addressOf,
  filtersOf,
  isFiltered,
  pageQuery,
  pollSeconds,
  repeated,
  startOfNext,
} from '../../../dashboard/videos/list-query.ts';

const settings = { transcriptSearch: true };

test('the filters are in the address of the page', () => {
  const filters = filtersOf({ q: 'sea & sand', status: 'failed', other: 'x' }, settings);
  expect(addressOf(filters)).toBe('/?q=sea+%26+sand&status=failed');
  expect(filtersOf(Object.fromEntries(new URLSearchParams('q=sea+%26+sand&status=failed')), settings)).toEqual(filters);
  expect(addressOf(filtersOf({}, settings))).toBe('/');
});

test('an empty filter is none', () => {
  expect(isFiltered(filtersOf({ q: '' }, settings))).toBe(false);
  expect(isFiltered(filtersOf({ template_id: '3' }, settings))).toBe(true);
});

test('only filters that are set are sent', () => {
  expect(pageQuery(filtersOf({ template_id: '3', q: 'sea' }, settings), { cursor: 'C' })).toEqual({
    per_page: 50,
    q: 'sea',
    template_id: 3,
    cursor: 'C',
  });
  expect(pageQuery(filtersOf({}, settings), undefined)).toEqual({ per_page: 50 });
});

test('captions are searched for the words where the service does that, and only with words', () => {
  const filters = filtersOf({ in: 'transcript', q: 'harbour' }, settings);
  expect(addressOf(filters)).toBe('/?q=harbour&in=transcript');
  expect(pageQuery(filters, undefined)).toEqual({ per_page: 50, q: 'harbour', in: 'transcript' });
  expect(pageQuery({ ...filters, q: '' }, undefined)).toEqual({ per_page: 50 });
  expect(isFiltered({ ...filters, q: '' })).toBe(false);
  expect(filtersOf({ in: 'transcript', q: 'harbour' }, { transcriptSearch: false }).in).toBe('');
  expect(filtersOf({ in: 'names' }, settings).in).toBe('');
});

test.for([
  [{ next_cursor: 'C' }, { cursor: 'C' }],
  [{ next_cursor: null }, undefined],
  [{ current_page: 1, last_page: 3 }, { page: 2 }],
  [{ current_page: 3, last_page: 3 }, undefined],
] as const)('after %o comes %o', ([meta, next]) => {
  expect(startOfNext(meta)).toEqual(next);
});

test('videos in work are asked for often, and the first part for new ones', () => {
  expect(pollSeconds([{ status: 'completed' }, { status: 'running' }], false)).toBe(2);
  expect(pollSeconds([{ status: 'completed' }, { status: 'failed' }], true)).toBe(5);
  expect(pollSeconds([{ status: 'completed' }], false)).toBe(60);
});

test('a name that several videos have is found once', () => {
  expect([...repeated(['clip.mp4', 'tour.mp4', 'clip.mp4', 'clip.mp4'])]).toEqual(['clip.mp4']);
});
