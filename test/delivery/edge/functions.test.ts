import { describe, expect, test } from 'vitest';
import { edgeFunctionCode } from '../../../infra/edge/function-code.ts';
import { answeredObject, answerKeys, signedUrlAnswers } from '../../fixtures/signed-url-answers.ts';
import { type EdgeAnswer, loadEdgeFunction, requestOf } from './run-edge-function.ts';

const ulid = '01K9Z3Q8V7N4T2M6X5C0R1B2D3';
const entries = new Map([
  ['key/k1', answerKeys.k1],
  ['key/k2', answerKeys.k2],
]);
const signed = signedUrlAnswers.find(({ status }) => status === 200)!.target;
const answer = async (target: string, options: { method?: string; more?: [string, string][] } = {}) => {
  const { handler } = loadEdgeFunction('viewer-request', new Map([...entries, ...(options.more ?? [])]));
  return (await handler(requestOf(target, options.method))) as EdgeAnswer;
};
const outcome = ({ statusCode, body, uri }: EdgeAnswer) => [statusCode ?? uri, body && JSON.parse(body.data).message];

describe('the code of a function', () => {
  test.each(['viewer-address', 'viewer-request', 'viewer-response'] as const)('%s fits into 10 KB', (name) => {
    expect(Buffer.byteLength(edgeFunctionCode(name))).toBeLessThanOrEqual(10_240);
  });

  test.each(['viewer-address', 'viewer-request', 'viewer-response'] as const)(
    '%s has no syntax that the runtime lacks',
    (name) => {
      const code = edgeFunctionCode(name);
      // Spread, destructuring, optional chaining, `for … of`, classes, exports, and async functions within functions.
      expect(code).not.toMatch(
        /\.\.\.|(const|let|var)\s*[{[]|\?\.|\?\?|\bof\b\s*\w+\)|\bclass\b|\bexport\b|async\s*\(/,
      );
      expect(code.replace(/^(import \w+ from\s*"\w+";)*/, '')).not.toMatch(/\bimport\b|\brequire\b|setTimeout|eval\(/);
    },
  );
});

describe('the check of a request for a file', () => {
  test.each(signedUrlAnswers.map((row) => [row.name, row] as const))('answers %s', async (_, row) => {
    const found = await answer(row.target, { method: row.method });
    expect(outcome(found)).toEqual(row.status === 200 ? [`/${answeredObject}`, undefined] : [row.status, row.message]);
  });

  test('a refused request may be read by every page, and is not cached', async () => {
    const { headers } = await answer('/s/x/y', {});
    expect(headers).toMatchObject({
      'access-control-allow-origin': { value: '*' },
      'cache-control': { value: 'no-store' },
      'content-type': { value: 'application/json' },
    });
  });

  test('a preflight is answered for every origin, with Range', async () => {
    const { headers } = await answer(signed, { method: 'OPTIONS' });
    expect(headers).toMatchObject({
      'access-control-allow-methods': { value: 'GET, HEAD, OPTIONS' },
      'access-control-allow-headers': { value: 'Range, If-None-Match, If-Modified-Since' },
    });
  });

  test('a deleted video does not play, although its URL is valid', async () => {
    expect(outcome(await answer(signed, { more: [[`deleted/${ulid}`, '9']] }))).toEqual([404, 'Not found.']);
  });

  test('a failed read of the store delivers nothing', async () => {
    const broken = new Map(entries);
    broken.get = (key) => {
      if (key.startsWith('key/')) return entries.get(key);
      throw new Error('unavailable');
    };
    const { handler } = loadEdgeFunction('viewer-request', broken);
    await expect(handler(requestOf(signed))).rejects.toThrow('unavailable');
  });
});

describe('a public path', () => {
  const path = `/p/${ulid}/x/master.m3u8`;
  const isPublic: [string, string] = [`public/${ulid}`, '1'];

  test('is delivered while the video is public and not deleted', async () => {
    expect(outcome(await answer(path, { more: [isPublic] }))).toEqual([`/videos/${ulid}/x/master.m3u8`, undefined]);
    expect(outcome(await answer(path))).toEqual([404, 'Not found.']);
    expect(outcome(await answer(path, { more: [isPublic, [`deleted/${ulid}`, '9']] }))).toEqual([404, 'Not found.']);
  });

  test.each([
    [`/p/${ulid}/../${ulid}/x`, 400],
    [`/p/${ulid}//x`, 400],
    [`/p/${ulid}/%78`, 400],
    [`/p/${ulid}`, 404],
    [`/p/${ulid}/`, 404],
    ['/p/x/y', 404],
  ])('%s is answered with %i', async (target, status) => {
    expect((await answer(target, { more: [isPublic] })).statusCode).toBe(status);
  });
});

test('the response to a download names the file, and no other response does', () => {
  const { handler } = loadEdgeFunction('viewer-response');
  const disposition = (target: string) => {
    const event = { ...requestOf(target), response: { statusCode: 200, headers: {} } };
    return (handler(event) as EdgeAnswer).headers['content-disposition']?.value;
  };
  expect(disposition('/videos/x/film.mp4?name=h%20%C3%BC%22.mp4&download=1')).toBe(
    `attachment; filename="h%20%C3%BC%22.mp4"; filename*=UTF-8''h%20%C3%BC%22.mp4`,
  );
  expect(disposition('/videos/x/film.mp4?name=film.mp4')).toBeUndefined();
  expect(disposition('/videos/x/film.mp4?name=a%0D%0Ab&download=1')).toBeUndefined();
  expect(disposition('/videos/x/master.m3u8?name=film.mp4&download=1')).toBeUndefined();
});

test('the API gets the address of the viewer, whatever the viewer sends', () => {
  const { handler } = loadEdgeFunction('viewer-address');
  const request = handler(requestOf('/api/me', 'GET', { 'x-viewer-address': { value: '127.0.0.1' } })) as EdgeAnswer;
  expect(request.headers).toEqual({ 'x-viewer-address': { value: '192.0.2.7' } });
});
