import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { get } from 'node:http';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { checkMedia } from '../../encoder-task/verify/check-media.ts';
import { type Client, signUp, type Video } from './support/client.ts';
import { audioVideoOffsetSeconds, durationSeconds, frames, playbackErrors, tracks } from './support/measure.ts';
import { frameRate } from './support/source-clip.ts';
import { everyFormat } from './support/templates.ts';

const clip = inject('clip');
/** The minimum size of every part but the last. */
const partBytes = 5 * 2 ** 20;
const frameSeconds = frameRate.den / frameRate.num;
/** Viewers notice a larger offset between audio and video. */
const lipSyncSeconds = 0.04;

let client: Client;
let video: Video;
let urls: Record<string, string>;

beforeAll(async () => {
  client = await signUp(inject('apiUrl'));
  const template = await client.makeTemplate(everyFormat);
  const ulid = await client.upload({ file: clip.file, template, partBytes, externalUserId: 'crm-1001' });
  video = await client.waitUntilDone(ulid);
  urls = await client.sources(ulid);
});

describe('an upload in parts becomes a video', () => {
  test('that is completed, with every output and stream of its template', () => {
    expect(video).toMatchObject({
      status: 'completed',
      name: 'clip.mp4',
      aspect_ratio: '16:9',
      externalUserId: 'crm-1001',
    });
    expect(video.duration).toBeCloseTo(clip.durationSeconds, 1);
    expect(video.outputs.map(({ format, status, progress }) => [format, status, progress])).toEqual([
      ['hls', 'completed', 100],
      ['dash', 'completed', 100],
      ['mp4', 'completed', 100],
    ]);
    expect(video.streams.map(({ type, width, height, status }) => [type, width, height, status])).toEqual([
      ['original', 640, 360, 'completed'],
      ['video', 640, 360, 'completed'],
      ['video', 426, 240, 'completed'],
      ['audio', null, null, 'completed'],
    ]);
  });

  test("that counts in its user's usage", async () => {
    const usage = await client.usageOfToday();
    const byMetric = Object.fromEntries(usage.map((row) => [row.metric, row]));
    expect(usage.map(({ external_user_id }) => external_user_id)).toEqual(['crm-1001', 'crm-1001']);
    expect(byMetric.upload_bytes?.value).toBe((await stat(clip.file)).size);
    expect(byMetric.encoding_cpu?.value).toBeGreaterThan(0);
  });

  test('with a poster of the requested size', async () => {
    const url = urls.mp4!.replace(/\/videos\/.*/, `/${video.thumbnail_path}`);
    expect((await fetch(url)).headers.get('content-type')).toBe('image/jpeg');
    expect(await tracks(url)).toMatchObject([{ codec: 'mjpeg', width: 320, height: 180 }]);
  });
});

describe.each(['hls', 'dash', 'mp4'])('as %s', (format) => {
  const heights = format === 'mp4' ? [360] : [360, 240];

  test('it has every rendition and decodes without a message', async () => {
    const found = await tracks(urls[format]!);
    expect(found.map(({ codec, height }) => `${codec} ${height}`).sort()).toEqual(
      ['aac 0', ...heights.map((height) => `h264 ${height}`)].sort(),
    );
    expect(await playbackErrors(urls[format]!)).toEqual([]);
  });

  test.each(heights)('it shows each source frame once, at its time, at %i lines', async (height) => {
    const shown = await frames(urls[format]!, height);
    expect(shown.map(({ number }) => number)).toEqual(Array.from({ length: clip.frames }, (_, number) => number));
    const late = shown.map(({ number, seconds }) => Math.abs(seconds - number * frameSeconds));
    expect(Math.max(...late)).toBeLessThan(0.001);
  });

  test('the strict verifier finds no fault', async () => {
    expect(await checkMedia(urls[format]!)).toEqual({ entries: 1, problems: [] });
  });

  test('it is as long as the source', async () => {
    expect(Math.abs((await durationSeconds(urls[format]!)) - clip.durationSeconds)).toBeLessThanOrEqual(frameSeconds);
  });

  test('its audio is in sync with its video from start to end', async () => {
    const source = await audioVideoOffsetSeconds(clip.file, clip.height);
    const result = await audioVideoOffsetSeconds(urls[format]!, 360);
    expect(Math.abs(result.first - source.first)).toBeLessThanOrEqual(lipSyncSeconds);
    expect(Math.abs(result.last - source.last)).toBeLessThanOrEqual(lipSyncSeconds);
  });
});

describe('the edge', () => {
  test('serves byte ranges, so that players can seek', async () => {
    const part = await fetch(urls.mp4!, { headers: { range: 'bytes=4-7' } });
    expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
    const [, size] = /^bytes 4-7\/(\d+)$/.exec(part.headers.get('content-range')!)!;
    const outside = await fetch(urls.mp4!, { headers: { range: `bytes=${size}-` } });
    expect(outside.status).toBe(416);
  });

  test('allows playback by pages of other origins', async () => {
    const headers = { origin: 'https://player.example.com' };
    expect((await fetch(urls.hls!, { headers })).headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await fetch(urls.hls!, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/range/i);
  });

  test.each([
    [
      'with another signature',
      (url: string) => url.replace(/(.)(\/videos\/)/, (_, last, rest) => (last === 'A' ? 'E' : 'A') + rest),
    ],
    ['with another end', (url: string) => url.replace(/\/s\/(\w+)\.\d+\./, '/s/$1.9999999999.')],
    ['of another video', (url: string) => url.replace(/\/videos\/\w+/, '/videos/01K9Z3Q8V7N4T2M6X5C0R1B2D3')],
    ['of an unknown key', (url: string) => url.replace('/s/', '/s/x')],
  ])('refuses a URL %s', async (_, change) => {
    const changed = change(urls.mp4!);
    expect(changed).not.toBe(urls.mp4);
    expect((await fetch(changed)).status).toBe(403);
  });

  test('has no files without a signature: such a path is one of the API', async () => {
    const answer = await fetch(urls.mp4!.replace(/\/s\/[^/]+/, ''));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
  });

  test('answers for every behaviour of the distribution', async () => {
    const { origin } = new URL(urls.mp4!);
    const publicUrls = await client.publicSources(video.ulid);
    // A change of playback reaches the edge within a minute.
    await expect.poll(async () => (await fetch(publicUrls[0]!)).status).toBe(200);
    const pages = ['/health', '/docs', '/api/openapi.json', '/', '/login', '/logout', '/register'];
    const paths = [...pages, '/assets/unknown.js', '/unknown'].map((path) => origin + path);
    const signedUrls = [urls.hls!, urls.dash!, urls.mp4!];
    const answers = await Promise.all(
      [...signedUrls, ...publicUrls, ...paths].map(async (url) => {
        const { status, headers } = await fetch(url);
        expect(headers.get('via')).toMatch(/\(CloudFront\)$/);
        return [status, headers.get('content-type')?.split(';')[0]];
      }),
    );
    const [playlist, manifest, mp4] = ['application/vnd.apple.mpegurl', 'application/dash+xml', 'video/mp4'];
    expect(answers).toEqual([
      ...[playlist, manifest, mp4, playlist, manifest, mp4].map((type) => [200, type]),
      ...['application/json', 'text/html', 'application/json', 'text/html'].map((type) => [200, type]),
      ...[405, 405, 405, 404, 404].map((status) => [status, 'application/json']),
    ]);
  });

  test('refuses an ambiguous path', async () => {
    expect(await statusOf(urls.mp4!.replace(/[^/]+$/, '%2e%2e/plan.json'))).toBe(400);
  });
});

/** fetch would normalize the path before sending it. */
async function statusOf(url: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  const path = url.slice(url.indexOf('/', 'http://'.length));
  const [answer] = await once(get({ hostname, port, path }), 'response');
  answer.resume();
  return answer.statusCode;
}
