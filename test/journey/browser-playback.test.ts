import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openBrowser } from './support/browser.ts';
import { type Source, signUp } from './support/client.ts';
import { everyContainer } from './support/templates.ts';

const clip = inject('clip');
const partBytes = 16 * 2 ** 20;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let urls: Record<string, string>;

const apiUrl = inject('apiUrl');

beforeAll(async () => {
  const client = await signUp(apiUrl);
  const template = await client.makeTemplate(everyContainer);
  const ulid = await client.upload({ file: clip.file, template, partBytes });
  browser = await openBrowser();
  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed' });
  const { sources } = await client.get<{ sources: (Source & { name: string })[] }>(`/api/videos/${ulid}/sources`);
  urls = Object.fromEntries(sources.map(({ name, url }) => [name, url]));
});

afterAll(() => browser.close());

describe.each([
  ['HLS, by hls.js', 'hls', 'hls'],
  ['HLS of transport stream segments, by hls.js', 'hls-ts', 'hls'],
  ['DASH, by shaka-player', 'dash', 'dash'],
  ['MP4, by the browser itself', 'mp4', 'mp4'],
] as const)('%s', (_, source, format) => {
  test('plays from start to end, with audio', async () => {
    const seen = await browser.play({ url: urls[source]!, format, playSeconds: Infinity, rate: 4 });
    expect(seen).toMatchObject({ ended: true, errors: [] });
    expect(seen.duration).toBeCloseTo(clip.durationSeconds, 1);
    expect(seen.decodedAudioBytes).toBeGreaterThan(0);
    expect([240, 360]).toContain(seen.videoHeight);
  });

  test('seeks to the middle and plays from there', async () => {
    const seen = await browser.play({ url: urls[source]!, format, fromSeconds: 7 });
    expect(seen.currentTime).toBeGreaterThanOrEqual(8);
    // the part between was skipped
    expect(seen.totalVideoFrames).toBeLessThan(7 * 30);
  });
});

describe('the dashboard', () => {
  test.each(['/', '/upload'])('%s is a page that may load code and styles from its own origin only', async (path) => {
    const response = await fetch(apiUrl + path, { headers: { accept: 'text/html' } });
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy')!.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
    );
    expect(response.headers.has('x-frame-options')).toBe(false);
    const { heading, errors } = await browser.openPage(apiUrl + path);
    expect(heading).not.toBe('');
    expect(errors).toEqual([]);
  });

  test('is stored by browsers and by the edge, which keeps a copy for each encoding', async () => {
    const html = await (await fetch(apiUrl)).text();
    const script = /src="(\/assets\/[^"]+)"/.exec(html)![1]!;
    const load = (encoding: string) => fetch(apiUrl + script, { headers: { 'accept-encoding': encoding } });
    for (const encoding of ['br', 'gzip']) {
      await load(encoding);
      const { headers } = await load(encoding);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-encoding': encoding,
        'x-cache': 'Hit from cloudfront',
      });
    }
  });
});
