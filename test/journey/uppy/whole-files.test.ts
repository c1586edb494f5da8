import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { clients, everyClient, versions } from './clients.ts';
import { type Lab, openLab } from './lab.ts';
import { sourceBytes } from './source-bytes.ts';

const mebibyte = 2 ** 20;
/** The minimum size of a part, and Uppy's default. */
const partBytes = 5 * mebibyte;

let lab: Lab;
beforeAll(async () => {
  lab = await openLab(inject('apiUrl'));
});
afterAll(() => lab.close());

/** The video's ULID is in the key, which every Uppy receives. */
const ulidOf = (key: string): string => key.split('/')[2]!;
const md5 = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

describe.each(everyClient)('Uppy %s', (_, client) => {
  test('uploads 12 MiB in three parts, and the store has the same bytes', async () => {
    const page = await lab.page(client, { inParts: true });
    await page.add({ name: 'twelve.mp4', type: 'video/mp4', bytes: 12 * mebibyte });
    const [file] = await page.upload();
    expect(file).toMatchObject({ error: null, complete: true });
    expect(page.calls.toSorted()).toEqual(
      ['create', 'sign 1', 'sign 2', 'sign 3', 'put 1', 'put 2', 'put 3', 'complete'].toSorted(),
    );
    expect(page.calls.at(-1)).toBe('complete');

    const { key, location, ulid = ulidOf(key) } = file!.body!;
    expect([ulid, location]).toEqual([ulidOf(key), expect.stringContaining(key)]);
    const bytes = sourceBytes(12 * mebibyte);
    expect(await lab.account.client.get(`/api/objstore/multipart/${ulid}`)).toEqual(
      [0, 1, 2].map((index) => {
        const part = bytes.subarray(index * partBytes, (index + 1) * partBytes);
        return { PartNumber: index + 1, Size: part.length, ETag: md5(part) };
      }),
    );
    expect(await originalOf(ulid)).toEqual({ name: 'twelve.mp4', size: 12 * mebibyte });
    expect(page.complaints).toEqual([]);
    await page.close();
  });
});

describe.each(versions)('Uppy %s', (_, client) => {
  test('uploads files of about the size of a part', async () => {
    const page = await lab.page(client, { inParts: true });
    const sizes = [1, partBytes, partBytes + 1];
    for (const bytes of sizes) await page.add({ name: `${bytes}.mkv`, bytes });
    const files = await page.upload();
    expect(await Promise.all(files.map(({ body }) => originalOf(ulidOf(body!.key))))).toEqual(
      sizes.map((size) => ({ name: `${size}.mkv`, size })),
    );
    expect(page.calls.filter((call) => call.startsWith('put')).toSorted()).toEqual([
      'put 1',
      'put 1',
      'put 1',
      'put 2',
    ]);
    expect(page.complaints).toEqual([]);
    await page.close();
  });
});

test.each(versions)(
  'Uppy %s uploads six files of three parts at once without meeting a rate limit',
  async (_, client) => {
    const page = await lab.page(client, { inParts: true });
    for (let number = 1; number <= 6; number++) await page.add({ name: `${number}.mp4`, bytes: 11 * 2 ** 20 });
    const files = await page.upload();
    expect(files.map(({ error, complete }) => ({ error, complete }))).toEqual(
      Array(6).fill({ error: null, complete: true }),
    );
    const expected = ['create', 'complete', ...[1, 2, 3].flatMap((part) => [`sign ${part}`, `put ${part}`])];
    expect(page.calls.toSorted()).toEqual(Array(6).fill(expected).flat().toSorted());
    expect(page.complaints).toEqual([]);
    await page.close();
  },
);

const byDefault = everyClient.filter(([, client]) => client !== clients.five);

test.each(byDefault)('Uppy %s uploads small files as one form by default', async (_, client) => {
  const page = await lab.page(client);
  await page.add({ name: 'one.mp4', type: 'video/mp4', bytes: mebibyte });
  const [file] = await page.upload();
  expect(page.calls).toEqual(['params', 'form']);
  expect(file!.body!.location).toContain(file!.body!.key);
  expect(await originalOf(ulidOf(file!.body!.key))).toEqual({ name: 'one.mp4', size: mebibyte });
  expect(page.complaints).toEqual([]);
  await page.close();
});

describe('an empty file is refused', () => {
  test.each(versions)(
    'before anything is sent, where the page says so as in docs/uploads.md: Uppy %s',
    async (_, client) => {
      const page = await lab.page(client, { inParts: true });
      if (client.major === 6) await page.run('uppy.setOptions({ restrictions: { minFileSize: 1 } })');
      const why = 'This file is smaller than the allowed size of 1 B';
      await expect(page.add({ name: 'empty.mp4', bytes: 0 })).rejects.toThrow(why);
      expect([(await page.look()).shown, page.calls]).toEqual([[why], []]);
      await page.close();
    },
  );

  test('at the end of a multipart upload, which is then aborted; 5.1.0 shows why', async () => {
    const page = await lab.page(clients.fiveByEndpoint, { inParts: true });
    await page.add({ name: 'empty.mp4', bytes: 0 });
    expect(await page.upload()).toMatchObject([{ error: 'The file is empty.', complete: false }]);
    await expect.poll(() => page.calls).toEqual(['create', 'sign 1', 'put 1', 'complete 422', 'abort']);
    expect((await page.look()).shown).toEqual(['The file is empty.']);
    await page.close();
  });

  // 6.3.1 sends an empty file as a form even when configured for parts. Neither version shows the reason of a store's
  // refusal.
  test.each(byDefault)('by the store when Uppy %s sends it as a form', async (_, client) => {
    const page = await lab.page(client);
    await page.add({ name: 'empty.mp4', bytes: 0 });
    expect(await page.upload()).toMatchObject([{ error: expect.stringMatching(/./), complete: false }]);
    expect(page.calls).toEqual(['params', 'form 400']);
    await page.close();
  });
});

async function originalOf(ulid: string) {
  const { name, streams } = await lab.account.client.waitFor(ulid, () => true);
  return { name, size: streams.find(({ type }) => type === 'original')!.size };
}
