import { describe, expect, test } from 'vitest';
import { createSiteHandler } from '../../../functions/site/site-handler.ts';
import { createGatewayEvent } from '../../fixtures/call-handler.ts';
import { smallSite, smallSiteFiles } from '../../fixtures/small-site.ts';

process.env.API_URL = 'https://api.example.com';
process.env.BUCKET_URL = 'https://bucket.s3.eu-west-1.amazonaws.com';
const handler = createSiteHandler(smallSite);
const script = '/assets/app-0A1B2C3D.js';
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

async function ask(request: `${string} /${string}`, headers: Record<string, string> = {}) {
  const { statusCode, headers: received = {}, ...rest } = await handler(createGatewayEvent(request, { headers }));
  const text = Buffer.from(rest.body ?? '', rest.isBase64Encoded ? 'base64' : 'utf8').toString();
  return { status: statusCode, headers: received as Record<string, string>, text };
}

describe('a page', () => {
  test.each(['/', '/videos', '/videos/01ARZ3NDEKTSV4RRFFQ69G5FAV', '/sign-in'] as const)(
    '%s shows it',
    async (path) => {
      expect(await ask(`GET ${path}`, browser)).toMatchObject({
        status: 200,
        text: smallSiteFiles['app.html'],
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-cache',
          vary: 'Accept, Accept-Encoding',
          'x-content-type-options': 'nosniff',
          'content-security-policy': expect.stringContaining("script-src 'self'"),
        },
      });
    },
  );

  test('is at / for every client', async () => {
    expect(await ask('GET /')).toMatchObject({ status: 200 });
  });

  test.each([
    '/api/unknown',
    '/assets/unknown',
    '/s/unknown',
    '/p/unknown',
    '/oembed',
    '/favicon.ico',
    '/a.b/c',
    '//example.com',
    '/a//b',
    '/..',
    '/../app.html',
    '/app.html',
    '/%2e%2e/manifest.json',
    '/manifest.json',
    '/a\\b',
    '/__proto__.html',
    '/constructor.js',
  ] as `/${string}`[])('is not at %s', async (path) => {
    expect(await ask(`GET ${path}`, browser)).toMatchObject({
      status: 404,
      text: expect.stringMatching(/^\{"message":"Not found.","code":"no_such_route"/),
    });
  });

  test.each([undefined, '*/*', 'application/json', 'text/html;q=0', 'text/htmlx', 'application/text/html'])(
    'is not at unknown paths for clients that accept %s',
    async (accept) => {
      const headers: Record<string, string> = accept === undefined ? {} : { accept };
      expect(await ask('GET /videos', headers)).toMatchObject({
        status: 404,
        text: expect.stringMatching(/^\{"message":"Not found.","code":"no_such_route"/),
        headers: { 'content-type': 'application/json' },
      });
    },
  );
});

describe('a file', () => {
  test.each([
    ['gzip, deflate, br', 'br', 'as Brotli'],
    ['GZIP', 'gzip', 'as gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip', 'as gzip'],
    ['*', 'br', 'as Brotli'],
    ['*;q=0', undefined, 'export const answer = 42;'],
    ['identity', undefined, 'export const answer = 42;'],
    ['', undefined, 'export const answer = 42;'],
  ])('for clients that accept %j has the encoding %s', async (accepted, encoding, text) => {
    const answered = await ask(`GET ${script}`, { 'accept-encoding': accepted });
    expect(answered).toMatchObject({
      status: 200,
      text,
      headers: {
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
        vary: 'Accept-Encoding',
      },
    });
    expect(answered.headers['content-encoding']).toBe(encoding);
  });

  test('that the client has is 304, by the tag of each encoding', async () => {
    const encodings = { plain: 'identity', brotli: 'br' };
    const tags: string[] = [];
    for (const accepted of Object.values(encodings)) {
      const { headers } = await ask(`GET ${script}`, { 'accept-encoding': accepted });
      tags.push(headers.etag!);
      for (const tag of [headers.etag!, `W/${headers.etag}`, `"other", ${headers.etag}`, '*']) {
        expect(await ask(`GET ${script}`, { 'accept-encoding': accepted, 'if-none-match': tag })).toMatchObject({
          status: 304,
          text: '',
          headers: { etag: headers.etag, vary: 'Accept-Encoding' },
        });
      }
    }
    expect(new Set(tags).size).toBe(2);
    expect(await ask(`GET ${script}`, { 'if-none-match': '"other"' })).toMatchObject({ status: 200 });
  });

  test('has no body for HEAD', async () => {
    const [head, get] = [await ask(`HEAD ${script}`), await ask(`GET ${script}`)];
    const headers = { ...get.headers, 'x-request-id': head.headers['x-request-id'] };
    expect(head).toEqual({ ...get, headers, text: '' });
  });
});

test('the description of the app has the id of the build and the settings that the dashboard has to know', async () => {
  expect(await ask('GET /app.json')).toMatchObject({
    status: 200,
    text: '{"build":"b1","registration":true,"transcriptSearch":true}',
    headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
  });
  expect(await ask('POST /app.json')).toMatchObject({ status: 405 });
});

describe('other requests', () => {
  test.each(['POST /', 'DELETE /', `PUT ${script}`] as const)('%s is 405', async (request) => {
    expect(await ask(request)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  test.each(['POST /api/unknown', 'OPTIONS /api/unknown', 'POST /videos'] as const)('%s is 404', async (request) => {
    expect(await ask(request)).toMatchObject({
      status: 404,
      text: expect.stringMatching(/^\{"message":"Not found.","code":"no_such_route"/),
    });
  });

  test('a preflight of a known path is 204', async () => {
    expect(await ask('OPTIONS /')).toMatchObject({ status: 204 });
  });

  test('a trailing slash redirects to the path without it', async () => {
    expect(await ask('POST /api/unknown/?a=1')).toMatchObject({
      status: 308,
      headers: { location: '/api/unknown?a=1' },
    });
    expect((await ask('GET /videos/01ARZ3NDEKTSV4RRFFQ69G5FAV//', browser)).headers.location).toBe(
      '/videos/01ARZ3NDEKTSV4RRFFQ69G5FAV',
    );
  });

  test.each([
    '//example.com/',
    '/%2Fexample.com/',
    '/%09/example.com/',
    '/%0a%0d/example.com/',
    '/%5Cexample.com/',
    '/a%09/',
    '/a//example.com/',
    '/%C3%BC/',
    '/a%20b/',
    '/a%3Fb/',
    '/a%25/',
    '/%ff/',
    '/a;b/',
    '/\t/example.com/',
  ] as `/${string}`[])('%s redirects nowhere', async (path) => {
    const { status, headers } = await ask(`GET ${path}`, browser);
    expect({ status, location: headers.location }).toEqual({ status: 404, location: undefined });
  });
});

describe('the API documentation', () => {
  test('is at /docs for every client, and sends the requests of its viewer', async () => {
    const { status, headers, text } = await ask('GET /docs');
    expect({ status, text }).toEqual({ status: 200, text: smallSiteFiles['docs.html'] });
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self'; " +
        "style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'",
    );
  });

  test('has a viewer without the origin of the service and without network', async () => {
    const { status, headers, text } = await ask('GET /docs/viewer');
    expect({ status, text }).toEqual({ status: 200, text: smallSiteFiles['docs-viewer.html'] });
    const policy = headers['content-security-policy']!.split('; ');
    expect(policy).toContain('sandbox allow-scripts allow-forms allow-popups allow-downloads');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy.join()).not.toMatch(/connect-src|allow-same-origin|unsafe-eval/);
  });

  test('loads its scripts without an origin, and no page can be read that way', async () => {
    expect((await ask(`GET ${script}`)).headers).toHaveProperty('access-control-allow-origin', '*');
    for (const page of ['/', '/docs', '/docs/viewer'] as const)
      expect((await ask(`GET ${page}`)).headers).not.toHaveProperty('access-control-allow-origin');
  });
});
