import { expect, test } from 'vitest';
import { createClient } from '../../../client/create-client.ts';
import { maxBodyBytes } from '../../../client/upload/images.ts';
import { videoRoutes } from '../../../functions/contracts/routes/video-routes.ts';

const ulid = '01KAH0Z5M2P4R6T8W0Y2A4C6E8';

/** A service that stores what it gets. */
function service() {
  const requests: { request: string; type: string | null; body: string | number }[] = [];
  const client = createClient({
    url: 'https://video.test',
    token: 't',
    fetch: async (request) => {
      const { method, url, headers } = request;
      const type = headers.get('content-type');
      const bytes = Buffer.from(await request.arrayBuffer());
      const path = `${method} ${url.replace('https://video.test', '')}`;
      requests.push({ request: path, type, body: type === 'application/json' ? bytes.toString() : bytes.length });
      if (url.endsWith('/uploads')) return Response.json({ data: { ulid: 'U', url: 'https://store.test/u' } });
      return Response.json({ data: { ulid } }, { headers: { etag: '"e"' } });
    },
  });
  return { client, requests };
}

test.each([
  [[0xff, 0xd8], 'image/jpeg'],
  [[0x89, 0x50], 'image/png'],
  [[0x52, 0x49], 'image/webp'],
])('an image is the body, with the type of its content: %j', async (bytes, type) => {
  const { client, requests } = service();
  // The type of a File follows from its name.
  await client.setPosterImage(ulid, new Blob([new Uint8Array(bytes)], { type: 'image/gif' }));
  expect(requests).toEqual([{ request: `PUT /api/videos/${ulid}/poster`, type, body: 2 }]);
});

test('a larger image is sent to the store', async () => {
  expect(maxBodyBytes).toBe(videoRoutes.poster.bodyLimitBytes);
  const { client, requests } = service();
  await client.setPosterImage(ulid, new Blob([new Uint8Array(maxBodyBytes + 1)]));
  expect(requests).toEqual([
    {
      request: `POST /api/videos/${ulid}/poster/uploads`,
      type: 'application/json',
      body: JSON.stringify({ size: maxBodyBytes + 1 }),
    },
    { request: 'PUT https://store.test/u', type: null, body: maxBodyBytes + 1 },
    { request: `PUT /api/videos/${ulid}/poster`, type: 'application/json', body: '{"upload":"U"}' },
  ]);
});
