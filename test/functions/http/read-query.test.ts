import { expect, test } from 'vitest';
import { readQuery } from '../../../functions/http/read-query.ts';

test('a plus is a space, a comma stays in its value, the last of two wins', () => {
  expect(readQuery('filename=a+b%20c%2Bd,e.mp4&page=1&page=2')).toEqual({ filename: 'a b c+d,e.mp4', page: '2' });
});

test('brackets make a field of a field', () => {
  expect(readQuery('metadata[template]=x&metadata%5Bname%5D=y&a[b][c]=z')).toEqual({
    metadata: { template: 'x', name: 'y' },
    'a[b][c]': 'z',
  });
});

test('empty values are missing, unless they mean something', () => {
  expect(readQuery('a=&b=+&c=1', ['b'])).toEqual({ b: '', c: '1' });
});

test('names that objects are born with are names like any other', () => {
  const query = readQuery('__proto__[admin]=1&constructor[prototype]=1&toString=1');
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
  expect(query.admin).toBeUndefined();
  expect(query.toString).toBe('1');
});
