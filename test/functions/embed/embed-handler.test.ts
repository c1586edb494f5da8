import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type AwsStub, mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import signedUrl from '../../../delivery/urls/signed-url.js';
import { handler as videos } from '../../../functions/api/videos.lambda.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { createEmbedHandler } from '../../../functions/embed/embed-handler.ts';
import { signEmbedToken } from '../../../functions/embed/embed-token.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { nowSeconds } from '../../../shared/clock.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const origin = 'https://d1.cloudfront.net';
const keys = { current: 'k1', keys: { k1: 'b25l' } };
const built = join(import.meta.dirname, '../../../dashboard/embed/index.html');
const handler = createEmbedHandler(() => readFile(built, 'utf8'));
const hostileName = '<img src=x onerror=alert(1)></script><!-- video --> $& "\'';

const noDomains = [
  '*',
  'example.com; script-src *',
  'example.com;',
  'a b',
  "'self'",
  "'none'",
  'javascript:alert(1)',
  'https://example.com',
  'https:',
  'example.com/path',
  'example.com:*',
  'example.com:99999999',
  '*.*.example.com',
  '*.com',
  '*.co.uk:8443',
  '*.github.io',
  'ex*mple.com',
  'example.com\r\nx-evil: 1',
  'example.com,evil.example',
  '-a.example',
  'münchen.example',
  'a'.repeat(64),
  '',
];

let stub: AwsStub<never, never, never>;
beforeEach(() => {
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
  vi.stubEnv('EDGE_URL', origin);
  vi.stubEnv('API_URL', 'https://api.example.com');
  vi.stubEnv('USE_PROXIES', 'off');
  const parameters = mockClient(SSMClient);
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: JSON.stringify(keys) } });
  stub = parameters as never;
});
afterEach(() => {
  stub.restore();
  vi.unstubAllEnvs();
});

async function madeVideo(changes = {}) {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user, changes);
  return { user, token, ...video };
}

const tokenOf = (videoUlid: string, { lifetimeSeconds = 600, allowedDomains = [] as string[] } = {}) =>
  signEmbedToken({ videoUlid, expiresSeconds: nowSeconds() + lifetimeSeconds, allowedDomains }, keys);

const page = (path: string, language = 'en') =>
  callHandler(handler, `GET /embed/${path}`, { headers: { 'accept-language': language } });

const oembed = (query: Record<string, string>) => callHandler(handler, `GET /oembed?${new URLSearchParams(query)}`);

const embedded = (text: string | undefined) =>
  JSON.parse(/<script type="application\/json" id="video">(.*?)<\/script>/.exec(text ?? '')![1]!);

describe('the player page', () => {
  test('has the sources, which are valid as long as the token', async () => {
    const { ulid } = await madeVideo({ name: 'Holiday' });
    const token = tokenOf(ulid, { lifetimeSeconds: 600 });
    const { status, headers, text } = await page(`${ulid}?token=${token}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    const { title, sources } = embedded(text);
    expect(title).toBe('Holiday');
    const url = new URL(sources.sources[0].url);
    expect(url.origin).toBe(origin);
    expect(signedUrl.checkSignedPath(url.pathname, keys.keys, nowSeconds() + 590).status).toBe(200);
    expect(signedUrl.checkSignedPath(url.pathname, keys.keys, nowSeconds() + 610).status).toBe(410);
    expect(text).toContain('<title>Holiday</title>');
    const [, href = ''] = /application\/json\+oembed" href="([^"]+)"/.exec(text!)!;
    expect(new URL(href).searchParams.get('url')).toBe(`${origin}/embed/${ulid}?token=${token}`);
  });

  test('runs scripts of the service only, in frames of the allowed domains only', async () => {
    const { ulid } = await madeVideo();
    const policy = async (allowedDomains: string[]) =>
      (await page(`${ulid}?token=${tokenOf(ulid, { allowedDomains })}`)).headers['content-security-policy']!.split(
        '; ',
      );
    expect((await policy([])).toSorted()).toEqual([
      "base-uri 'none'",
      `connect-src 'self' ${origin}`,
      "default-src 'none'",
      "form-action 'none'",
      'frame-ancestors *',
      `img-src 'self' data: ${origin}`,
      `media-src 'self' blob: ${origin}`,
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
    ]);
    const limited = await policy(['example.com', '*.example.org:8443']);
    expect(limited.filter((directive) => directive.startsWith('frame-ancestors'))).toEqual([
      'frame-ancestors example.com *.example.org:8443',
    ]);
  });

  test('shows a hostile name as text', async () => {
    const { ulid } = await madeVideo({ name: hostileName });
    const { text } = await page(`${ulid}?token=${tokenOf(ulid)}`);
    expect(embedded(text).title).toBe(hostileName);
    expect(text).not.toContain('<img');
    expect(text!.match(/<\/script>/g)).toHaveLength(2);
    expect(text!.match(/id="video"/g)).toHaveLength(1);
    expect(text).toContain('<title>&#60;img src=x onerror=alert(1)&#62;');
  });

  test.each([
    ['en', 'This player needs JavaScript.'],
    ['de', 'Dieser Player benötigt JavaScript.'],
  ])('says in %s that it needs scripts', async (language, sentence) => {
    const { ulid } = await madeVideo();
    const { text } = await page(`${ulid}?token=${tokenOf(ulid)}`, language);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(sentence);
  });

  test('of a public video needs no token, and an invalid one does no harm', async () => {
    const { ulid } = await madeVideo({ playback: 'public' });
    for (const query of ['', '?token=x', `?token=${tokenOf(ulid, { lifetimeSeconds: -10 })}`]) {
      const { status, text } = await page(`${ulid}${query}`);
      expect(status).toBe(200);
      expect(embedded(text).sources.sources[0]).toMatchObject({
        url: expect.stringContaining(`${origin}/p/${ulid}/`),
        expires_at: null,
      });
    }
    const { headers } = await page(`${ulid}?token=${tokenOf(ulid, { allowedDomains: ['example.com'] })}`);
    expect(headers['content-security-policy']).toContain('frame-ancestors example.com');
  });

  test('ignores the cookie of a session', async () => {
    const { ulid } = await madeVideo();
    const answer = await callHandler(handler, `GET /embed/${ulid}`, { session: 'x'.repeat(40) });
    expect(answer).toMatchObject({ status: 404, cookies: [] });
  });

  test('tells viewers to come back while nothing delivers the video', async () => {
    vi.stubEnv('EDGE_URL', undefined);
    vi.stubEnv('USE_PROXIES', 'on');
    const { ulid } = await madeVideo();
    const { status, headers, text } = await page(`${ulid}?token=${tokenOf(ulid)}`);
    expect({ status, retry: headers['retry-after'] }).toEqual({ status: 503, retry: '60' });
    expect(text).toContain('Reload the page in a minute.');
  });
});

describe('a refusal', () => {
  const cases: [string, number, string, string, (ulid: string) => string][] = [
    ['no token', 404, 'Video not found', 'Video nicht gefunden', (ulid) => ulid],
    ['an ID that is none', 404, 'Video not found', 'Video nicht gefunden', () => 'x'],
    ['a video that does not exist', 404, 'Video not found', 'Video nicht gefunden', () => newUlid()],
    ['a token of another video', 403, 'not valid', 'ungültig', (ulid) => `${ulid}?token=${tokenOf(newUlid())}`],
    ['an altered token', 403, 'not valid', 'ungültig', (ulid) => `${ulid}?token=${tokenOf(ulid).replace(/.$/, '!')}`],
    ['an empty token', 403, 'not valid', 'ungültig', (ulid) => `${ulid}?token=`],
    [
      'an expired token',
      410,
      'expired',
      'abgelaufen',
      (ulid) => `${ulid}?token=${tokenOf(ulid, { lifetimeSeconds: -10 })}`,
    ],
  ];

  test.each(cases)('of %s is a page with %d', async (_, expected, english, german, pathOf) => {
    const { ulid } = await madeVideo();
    for (const [language, title] of [
      ['en', english],
      ['de', german],
    ] as const) {
      const { status, headers, text } = await page(pathOf(ulid), language);
      expect(status).toBe(expected);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-language': language,
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors \*; style-src 'sha256-[^']+';/,
        ),
      });
      expect(text).toContain(`<html lang="${language}">`);
      expect(text).toContain(title);
      expect(text).not.toContain('<script');
    }
  });

  test('of a deleted video is 404, also with a valid token and for a public video', async () => {
    const signed = await madeVideo();
    const token = tokenOf(signed.ulid);
    await hideVideo(signed, signed.user);
    expect(await page(`${signed.ulid}?token=${token}`)).toMatchObject({ status: 404 });
    const open = await madeVideo({ playback: 'public' });
    await hideVideo(open, open.user);
    expect(await page(open.ulid)).toMatchObject({ status: 404 });
  });

  test('does not show whether a private video exists', async () => {
    const { ulid } = await madeVideo();
    for (const query of ['', '?token=x'])
      expect((await page(`${ulid}${query}`)).text).toBe((await page(`${newUlid()}${query}`)).text);
  });
});

describe('oEmbed', () => {
  test('answers with the code of a frame that fits', async () => {
    const { ulid } = await madeVideo({ name: hostileName, aspectRatio: '16:9' });
    const url = `${origin}/embed/${ulid}?token=${tokenOf(ulid)}`;
    const { status, json } = await oembed({ url, maxwidth: '320', maxheight: '1000', format: 'json' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ type: 'video', version: '1.0', title: hostileName, width: 320, height: 180 });
    expect(json.html).toContain(`<iframe src="${url}" width="320" height="180" title="&#60;img src=x`);
    expect(json.html).not.toContain('<img');
  });

  test('knows the address of the API as well, and public videos without a token', async () => {
    const { ulid } = await madeVideo({ playback: 'public' });
    for (const host of [origin, 'https://api.example.com', 'https://API.example.com:443']) {
      const { status, json } = await oembed({ url: `${host}/embed/${ulid}` });
      expect(status).toBe(200);
      expect(json.html).toContain(`src="${origin}/embed/${ulid}"`);
    }
  });

  test('is 404 for everything that is no player page, and 401 for a token that is not valid', async () => {
    const { ulid } = await madeVideo();
    const wrong = [
      `${origin}/embed/${ulid}`,
      `${origin}/embed/${newUlid()}`,
      `${origin}/api/videos/${ulid}`,
      `https://evil.example/embed/${ulid}?token=${tokenOf(ulid)}`,
      `${origin}.evil.example/embed/${ulid}?token=${tokenOf(ulid)}`,
      'javascript:alert(1)',
      'x',
    ];
    for (const url of wrong)
      expect(await oembed({ url }), url).toMatchObject({ status: 404, json: { message: 'Not found.' } });
    const tokens = ['x', tokenOf(newUlid()), tokenOf(ulid, { lifetimeSeconds: -10 })];
    for (const token of tokens)
      expect(await oembed({ url: `${origin}/embed/${ulid}?token=${token}` })).toMatchObject({ status: 401 });
  });

  test('is 501 for XML and 422 without an address or with a size that is none', async () => {
    expect(await oembed({ url: origin, format: 'xml' })).toMatchObject({ status: 501 });
    expect(await oembed({})).toMatchObject({ status: 422, json: { errors: { url: [expect.any(String)] } } });
    expect(await oembed({ url: origin, maxwidth: '0' })).toMatchObject({ status: 422 });
  });
});

describe('a token', () => {
  const request = (ulid: string, token: string, body: object) =>
    callHandler(videos, `POST /api/videos/${ulid}/embed-tokens`, { token, body });

  test('opens the page of its video', async () => {
    const { ulid, token } = await madeVideo();
    const { status, json } = await request(ulid, token, {
      expires_in: 3600,
      allowed_domains: ['Example.COM', 'localhost:3000', '*.example.co.uk', '*.intranet'],
    });
    expect(status).toBe(201);
    expect(json.url).toBe(`${origin}/embed/${ulid}?token=${json.token}`);
    const { headers } = await page(json.url.slice(`${origin}/embed/`.length));
    expect(headers['content-security-policy']).toMatch(
      /; frame-ancestors example\.com localhost:3000 \*\.example\.co\.uk \*\.intranet;/,
    );
  });

  test('is for the owner and administrators only', async () => {
    const { ulid } = await madeVideo();
    expect(await request(ulid, (await createPerson()).token, { expires_in: 60 })).toMatchObject({ status: 404 });
    const admin = await createPerson({ isAdmin: true });
    expect(await request(ulid, admin.token, { expires_in: 60 })).toMatchObject({ status: 201 });
  });

  test('is refused for everything that is no domain', async () => {
    const { ulid, token } = await madeVideo();
    for (const domain of noDomains) {
      const { status, json } = await request(ulid, token, { expires_in: 60, allowed_domains: [domain, 'example.com'] });
      expect(status, domain).toBe(422);
      expect(Object.keys(json.errors)[0]).toMatch(/^allowed_domains/);
    }
  });

  test.each([59, 604_801, 60.5, '60', null, undefined])('is refused for expires_in %s', async (seconds) => {
    const { ulid, token } = await madeVideo();
    expect(await request(ulid, token, { expires_in: seconds, allowed_domains: [] })).toMatchObject({
      status: 422,
      json: { errors: { expires_in: [expect.any(String)] } },
    });
  });

  test('has at most ten domains', async () => {
    const { ulid, token } = await madeVideo();
    const domains = (count: number) =>
      Array.from({ length: count }, (_, index) => `${'a'.repeat(60)}${index}.example.com`);
    expect(await request(ulid, token, { expires_in: 60, allowed_domains: domains(10) })).toMatchObject({ status: 201 });
    expect(await request(ulid, token, { expires_in: 60, allowed_domains: domains(11) })).toMatchObject({ status: 422 });
  });
});
