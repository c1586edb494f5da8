import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import signedUrl from '../../../delivery/urls/signed-url.js';
import { answerKeys, signedUrlAnswers } from '../../fixtures/signed-url-answers.ts';

const keys = { k1: Buffer.alloc(32, 1).toString('base64url'), k2: Buffer.alloc(32, 2).toString('base64url') };
const objectKey = 'videos/01K9Z3Q8V7N4T2M6X5C0R1B2D3/r1/master.m3u8';
const input = { keyId: 'k1', secret: keys.k1, expiresSeconds: 2_000, session: 'abc', objectKey };
const path = signedUrl.signPath(input);

test.each(signedUrlAnswers.filter(({ method }) => method === 'GET').map((row) => [row.name, row] as const))(
  'a check in Node answers %s',
  (_, { target, status, message }) => {
    const checked = signedUrl.checkSignedPath(target, answerKeys, Date.now() / 1000);
    expect([checked.status, 'reason' in checked ? `Not delivered: ${checked.reason}.` : undefined]).toEqual([
      status,
      message,
    ]);
  },
);

describe('a signed path', () => {
  test('is accepted up to the second in which it expires, and names the object', () => {
    expect(signedUrl.checkSignedPath(path, keys, 2_000)).toEqual({
      status: 200,
      objectKey,
      videoUlid: '01K9Z3Q8V7N4T2M6X5C0R1B2D3',
      session: 'abc',
      expiresSeconds: 2_000,
    });
    expect(signedUrl.checkSignedPath(path, keys, 2_001)).toMatchObject({ status: 410 });
  });

  test('plays every file of its video', () => {
    const segment = path.replace('master.m3u8', 'v720/00001.m4s');
    expect(signedUrl.checkSignedPath(segment, keys, 0)).toMatchObject({ status: 200 });
  });

  test('plays no other video', () => {
    const other = path.replace('01K9Z3Q8V7N4T2M6X5C0R1B2D3', '01K9Z3Q8V7N4T2M6X5C0R1B2D4');
    expect(signedUrl.checkSignedPath(other, keys, 0)).toMatchObject({ status: 403 });
  });

  test.each([
    ['another expiry', path.replace('.2000.', '.3000.')],
    ['another session', path.replace('.abc.', '.abd.')],
    ['another key', path.replace('/s/k1.', '/s/k2.')],
    ['an unknown key', path.replace('/s/k1.', '/s/k9.')],
    ['a key that every object has', path.replace('/s/k1.', '/s/constructor.')],
    ['no signature', `/${objectKey}`],
  ])('is refused with %s', (_, changed) => {
    expect(signedUrl.checkSignedPath(changed, keys, 0)).toMatchObject({ status: 403 });
  });

  test('is refused when any one character of the signature changes', () => {
    const start = path.indexOf('.abc.') + 5;
    for (let at = start; at < start + 43; at++) {
      const changed = `${path.slice(0, at)}${path[at] === 'A' ? 'B' : 'A'}${path.slice(at + 1)}`;
      expect(signedUrl.checkSignedPath(changed, keys, 0)).toMatchObject({ status: 403 });
    }
  });

  test.each(['/..', '/%2e%2e', '/%2F', '//', '/./', '/a b', '/ä'])('is malformed with %s in it', (part) => {
    expect(signedUrl.checkSignedPath(path.replace('/r1', part), keys, 0)).toMatchObject({ status: 400 });
  });

  test('may have a query, which is ignored', () => {
    expect(signedUrl.checkSignedPath(`${path}?../%2e`, keys, 0)).toMatchObject({ status: 200, objectKey });
    expect(signedUrl.checkSignedPath(`/${objectKey}?${path}`, keys, 0)).toMatchObject({ status: 403 });
  });

  test('is unambiguous: no accepted path has an empty, dot or encoded part', () => {
    const part = fc.oneof(
      fc.constantFrom('', '.', '..', '...', '.a', 'a.', '%2e', '%2F', ' ', '\\', '\n', '?', 'r1'),
      fc.string(),
    );
    const tail = fc.array(fc.tuple(fc.constantFrom('/', '//', ''), part)).map((parts) => parts.flat().join(''));
    const prefix = path.slice(0, path.indexOf('/r1/'));
    fc.assert(
      fc.property(tail, (rest) => {
        const { status } = signedUrl.checkSignedPath(prefix + rest, keys, 0);
        const sent = (prefix + rest).split('?')[0]!;
        const parts = sent.slice(prefix.length).replace(/\/$/, '').split('/');
        const isClear =
          /^[\w./-]+$/.test(sent) &&
          parts.slice(1).every((one) => !['', '.', '..'].includes(one)) &&
          !sent.endsWith('//');
        if (status === 200) expect([isClear, parts[0], parts.length > 1]).toEqual([true, '', true]);
        else if (isClear && parts[0] === '' && parts.length > 1) expect([sent, status]).toEqual([sent, 200]);
      }),
    );
  });

  test('can be made for deliverable objects only', () => {
    expect(() => signedUrl.signPath({ ...input, objectKey: 'uploads/x/y/z.mp4' })).toThrow('not a deliverable object');
  });
});
