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

test('the filters are in the address of the page', () => {
  const filters = filtersOf({ q: 'sea & sand', status: 'failed', other: 'x' });
  expect(addressOf(filters)).toBe('/?q=sea+%26+sand&status=failed');
  expect(filtersOf(Object.fromEntries(new URLSearchParams('q=sea+%26+sand&status=failed')))).toEqual(filters);
  expect(addressOf(filtersOf({}))).toBe('/');
});

test('an empty filter is none', () => {
  expect(isFiltered(filtersOf({ q: '' }))).toBe(false);
  expect(isFiltered(filtersOf({ template_id: '3' }))).toBe(true);
});

test('only filters that are set are sent', () => {
  expect(pageQuery(filtersOf({ template_id: '3', q: 'sea' }), { cursor: 'C' })).toEqual({
    per_page: 50,
    q: 'sea',
    template_id: 3,
    cursor: 'C',
  });
  expect(pageQuery(filtersOf({}), undefined)).toEqual({ per_page: 50 });
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
