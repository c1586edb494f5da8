import { expect, test } from 'vitest';
import { readQuery } from '../../../functions/http/read-query.ts';

test('a plus is a space, a comma is part of its value, and the last of two values counts', () => {
  expect(readQuery('filename=a+b%20c%2Bd,e.mp4&page=1&page=2')).toEqual({ filename: 'a b c+d,e.mp4', page: '2' });
});

test('brackets make nested fields', () => {
  expect(readQuery('metadata[template]=x&metadata%5Bname%5D=y&a[b][c]=z')).toEqual({
    metadata: { template: 'x', name: 'y' },
    'a[b][c]': 'z',
  });
});

test('empty values are missing, unless the route allows them', () => {
  expect(readQuery('a=&b=+&c=1', { emptyAllowed: ['b'] })).toEqual({ b: '', c: '1' });
});

test('names of Object.prototype are ordinary names', () => {
  const query = readQuery('__proto__[admin]=1&constructor[prototype]=1&toString=1');
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
  expect(query.admin).toBeUndefined();
  expect(query.toString).toBe('1');
});
