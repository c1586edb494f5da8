import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { fetchSource } from '../../../encoder-task/ingest/fetch-source.ts';
import { createPace, type Pace } from '../../../encoder-task/ingest/pace.ts';
import { createSourceClient } from '../../../encoder-task/ingest/source-client.ts';
import type { IngestSpec, SourceProperties, StoredPart } from '../../../shared/protocol/jobs.ts';
import { type SourceHandler, type SourceServer, serveFile, startSource } from '../../fixtures/servers/source-server.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';

const files = useStoreAndFolder();
let server: SourceServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const film = randomBytes(10_000);
const numbers = Array.from({ length: 60 }, (_, index) => String(index + 1));
type Given = Partial<IngestSpec> & {
  stallSeconds?: number;
  pace?: Pace;
  found?: (facts: SourceProperties) => Promise<unknown>;
};

async function fetchFrom(handler: SourceHandler, given: Given = {}) {
  server = await startSource(handler);
  return fetchUrl(server.url(), given);
}

async function fetchUrl(
  url: string,
  { stallSeconds = 60, pace = createPace(), found = async () => {}, ...given }: Given,
) {
  const spec: IngestSpec = {
    kind: 'ingest',
    url,
    partBytes: 1000,
    maxBytes: 1e6,
    source: null,
    storedParts: [],
    allowLoopback: true,
    ...given,
  };
  const context = await contextFor(files.store, spec, { outputs: numbers });
  const client = createSourceClient({ allowLoopback: spec.allowLoopback, connections: 4 });
  try {
    return await fetchSource(
      { ...context, client, currentUrl: async () => new URL(url), stallSeconds, pace, firstDelayMs: 1 },
      spec,
      found,
    );
  } finally {
    client.close();
    await rm(context.folder, { recursive: true });
  }
}

const storedBytes = (parts: readonly Pick<StoredPart, 'number'>[]): Buffer =>
  Buffer.concat(parts.map(({ number }) => files.store.objects.get(String(number))!));

const expectFilm = ({ sizeBytes, parts }: { sizeBytes: number; parts: StoredPart[] }, expected = film): void => {
  expect(sizeBytes).toBe(expected.length);
  expect(storedBytes(parts).equals(expected)).toBe(true);
};

test('a file is fetched in parallel ranges of one version', async () => {
  const facts: SourceProperties[] = [];
  expectFilm(await fetchFrom(serveFile(film), { found: async (one) => facts.push(one) }));
  expect(facts).toEqual([{ sizeBytes: 10_000, validator: '"1"' }]);
  expect(server!.ranges.toSorted()).toEqual(
    numbers.slice(0, 10).map((n) => `bytes=${(Number(n) - 1) * 1000}-${Number(n) * 1000 - 1}`),
  );
  expect(server!.requests.slice(1).every(({ headers }) => headers['if-range'] === '"1"')).toBe(true);
  expect(server!.requests.every(({ headers }) => headers['accept-encoding'] === 'identity')).toBe(true);
});

test.each<[string, SourceHandler]>([
  ['without ranges', serveFile(film, { ranges: false })],
  ['without ranges and a length', serveFile(film, { ranges: false, announced: null })],
  ['with ranges and a weak ETag', serveFile(film, { etag: 'W/"1"' })],
  ['with ranges and without an ETag', serveFile(film, { etag: null })],
  ['with ranges and a date', serveFile(film, { etag: null, headers: { 'last-modified': new Date(0).toUTCString() } })],
])('a file of a server %s', async (_, handler) => {
  expectFilm(await fetchFrom(handler));
});

test('a file that is smaller than a part, or as large as one', async () => {
  for (const bytes of [1, 999, 1000, 1001]) {
    for (const ranges of [true, false]) {
      const body = randomBytes(bytes);
      expectFilm(await fetchFrom(serveFile(body, { ranges })), body);
      await server!.close();
    }
  }
});

test('a connection that is cut off at any byte: the file is complete, or there is an error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        bytes: fc.integer({ min: 1, max: 5000 }),
        ranges: fc.boolean(),
        etag: fc.constantFrom('"1"', 'W/"1"', null),
        chunked: fc.boolean(),
        cuts: fc.array(fc.option(fc.integer({ min: 0, max: 5000 }), { nil: undefined }), { maxLength: 8 }),
      }),
      async ({ bytes, ranges, etag, chunked, cuts }) => {
        const body = randomBytes(bytes);
        files.store.objects.clear();
        const serving = {
          etag,
          ranges,
          announced: chunked ? null : bytes,
          cutAfter: (count: number) => cuts[count - 1],
        };
        const outcome = await fetchFrom(serveFile(body, serving)).catch((error) => error);
        await server!.close();
        server = undefined;
        if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'INPUT_UNREACHABLE', fatal: false });
        else expectFilm(outcome, body);
      },
    ),
    { numRuns: 40 },
  );
});

test('a range that breaks off continues where it stopped', async () => {
  expectFilm(await fetchFrom(serveFile(film, { cutAfter: (count) => (count === 2 ? 400 : undefined) })));
  expect(server!.ranges).toHaveLength(11);
  expect(server!.ranges.some((range) => range?.endsWith('400-1999') || /^bytes=\d400-/.test(range ?? ''))).toBe(true);
});

test.each<[string, SourceHandler, object]>([
  ['is empty', serveFile(Buffer.alloc(0), { ranges: false }), { code: 'INPUT_EMPTY' }],
  [
    'is empty and has ranges',
    (_, response) => void response.writeHead(416, { 'content-range': 'bytes */0' }).end(),
    { code: 'INPUT_EMPTY' },
  ],
  ['is empty and chunked', serveFile(Buffer.alloc(0), { ranges: false, announced: null }), { code: 'INPUT_EMPTY' }],
  ['does not exist', (_, response) => void response.writeHead(404).end(), { code: 'INPUT_GONE', fatal: true }],
  ['is forbidden', (_, response) => void response.writeHead(403).end(), { code: 'INPUT_UNREACHABLE', fatal: true }],
  [
    'is behind a busy server',
    (_, response) => void response.writeHead(503).end(),
    { code: 'INPUT_UNREACHABLE', fatal: false },
  ],
  [
    'is compressed',
    serveFile(film, { ranges: false, headers: { 'content-encoding': 'gzip' } }),
    { code: 'INPUT_UNSUPPORTED' },
  ],
  ['is shorter than announced', serveFile(film, { ranges: false, cutAfter: () => 500 }), { code: 'INPUT_UNREACHABLE' }],
  ['is too large', serveFile(Buffer.alloc(1_000_001)), { code: 'INPUT_TOO_LARGE', fatal: true }],
  [
    'has no announced end',
    (_, response) => void response.socket?.end('HTTP/1.1 200 OK\r\n\r\nfilm'),
    { code: 'INPUT_UNSUPPORTED' },
  ],
  ['comes with invalid HTTP', (_, response) => void response.socket?.end('nonsense'), { code: 'INPUT_UNREACHABLE' }],
  [
    'does not come, since the server switches the protocol,',
    (_, { socket }) => void socket?.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'),
    { code: 'INPUT_UNREACHABLE', message: expect.stringContaining('it answered with status 101') },
  ],
  [
    'comes as another range',
    (_, response) => void response.writeHead(206, { 'content-range': 'bytes 5-9/10' }).end('56789'),
    { code: 'INPUT_UNREACHABLE' },
  ],
  [
    'comes as several ranges',
    (_, response) => void response.writeHead(206, { 'content-type': 'multipart/byteranges' }).end(),
    { code: 'INPUT_UNREACHABLE' },
  ],
])('a file that %s is an error', async (_, handler, expected) => {
  await expect(fetchFrom(handler)).rejects.toMatchObject(expected);
});

test('an endless file is an error when it is over the limit', async () => {
  const endless: SourceHandler = (_, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  await expect(fetchFrom(endless, { partBytes: 100_000 })).rejects.toMatchObject({ code: 'INPUT_TOO_LARGE' });
});

test('a server that stops sending is an error', async () => {
  const silent: SourceHandler = (_, response) => void response.writeHead(200, { 'content-length': 100 }).write('film');
  await expect(fetchFrom(silent, { stallSeconds: 0.02 })).rejects.toMatchObject({
    code: 'INPUT_UNREACHABLE',
    message: 'The server of the URL did not send the file: it stopped sending.',
  });
});

test.each([
  ['ETag', (count: number) => ({ etag: count > 3 ? '"2"' : '"1"' })],
  [
    'ETag, of a server that does not know If-Range',
    (count: number) => ({ etag: '"1"', headers: { etag: count > 3 ? '"2"' : '"1"' } }),
  ],
])('a change of the %s is an error', async (_, serving) => {
  await expect(fetchFrom(serveFile(film, serving))).rejects.toMatchObject({ code: 'INPUT_CHANGED', fatal: true });
});

test('a change of the size is an error', async () => {
  const longer = Buffer.concat([film, film]);
  const handler: SourceHandler = (request, response, count) =>
    serveFile(count > 3 ? longer : film)(request, response, count);
  await expect(fetchFrom(handler)).rejects.toMatchObject({ code: 'INPUT_CHANGED' });
});

test('a next attempt fetches only the parts that are not stored', async () => {
  files.store.objects.set('1', film.subarray(0, 1000)).set('3', film.subarray(2000, 3000));
  const source = { sizeBytes: 10_000, validator: '"1"' };
  const storedParts = [1, 3].map((number) => ({ number, bytes: 1000, etag: `"${number}"` }));
  // A part of another length is not of this file.
  const odd = { number: 5, bytes: 999, etag: '"5"' };
  expectFilm(await fetchFrom(serveFile(film), { source, storedParts: [...storedParts, odd] }));
  expect(server!.ranges).toHaveLength(8);
});

test('a next attempt at a changed file is an error', async () => {
  const source = { sizeBytes: 10_000, validator: '"0"' };
  const storedParts = [{ number: 1, bytes: 1000, etag: '"1"' }];
  await expect(fetchFrom(serveFile(film), { source, storedParts })).rejects.toMatchObject({ code: 'INPUT_CHANGED' });
  await server!.close();
  await expect(fetchFrom(serveFile(film), { source })).rejects.toMatchObject({ code: 'INPUT_CHANGED' });
});

test('five redirects are followed, and six are an error', async () => {
  const redirecting =
    (redirects: number): SourceHandler =>
    (request, response, count) => {
      const left = Number(new URL(request.url!, 'http://x').searchParams.get('left') ?? redirects);
      if (left === 0) serveFile(film)(request, response, count);
      else response.writeHead(302, { location: `/film.mp4?left=${left - 1}` }).end();
    };
  expectFilm(await fetchFrom(redirecting(5)));
  await server!.close();
  await expect(fetchFrom(redirecting(6))).rejects.toMatchObject({ code: 'INPUT_UNREACHABLE', fatal: true });
});

test('user name and password go to the server of the URL only', async () => {
  const other = await startSource(serveFile(film));
  server = await startSource((_, response) => void response.writeHead(302, { location: other.url() }).end());
  expectFilm(await fetchUrl(server.url().replace('//', '//user:secret@'), {}));
  expect(server.requests[0]?.headers.authorization).toMatch(/^Basic /);
  expect(other.requests.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
  await other.close();
});
