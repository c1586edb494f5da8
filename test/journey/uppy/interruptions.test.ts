import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { clients, versions } from './clients.ts';
import { type Lab, openLab } from './lab.ts';
import type { Client, UppyPage } from './uppy-page.ts';

/** A size of three parts. */
const bytes = 11 * 2 ** 20;
const partBytes = 5 * 2 ** 20;
const inParts = true;

let lab: Lab;
beforeAll(async () => {
  lab = await openLab(inject('apiUrl'));
});
afterAll(() => lab.close());

/** A page whose file `name` has one part in the store; then performs an action on the page. */
async function afterOnePart(
  client: Client,
  then: string,
  { name = 'a.mp4', bytes: size = bytes, restores = false } = {},
): Promise<UppyPage> {
  const page = await lab.page(client, { inParts, restores });
  await page.add({ name, bytes: size });
  await page.run(`new Promise((resolve) => {
    uppy.once('s3-multipart:part-uploaded', () => resolve(${then}));
    globalThis.uploaded = uppy.upload();
  })`);
  return page;
}

/** The state that Golden Retriever has stored for the page's files, once it includes their bytes. */
const kept = `new Promise((resolve, reject) => {
  const opened = indexedDB.open('uppy-blobs');
  opened.onerror = reject;
  opened.onsuccess = () => {
    const stores = opened.result.transaction(['metadata', 'files']);
    const metadata = stores.objectStore('metadata').get('page');
    const files = stores.objectStore('files').count();
    files.onsuccess = () => resolve(files.result > 0 ? metadata.result?.metadata ?? '' : '');
  };
})`;

const count = (page: UppyPage, call: string): number => page.calls.filter((made) => made === call).length;
const uploadIdOf = async (page: UppyPage): Promise<string> => (await page.look()).files[0]?.uploadId ?? '';
const statusOf = async (page: UppyPage) =>
  (await page.look()).files.map(({ error, complete }) => ({ error, complete }));
const done = [{ error: null, complete: true }];

/** The number of videos with this name, once there is at least one. */
async function videosNamed(name: string): Promise<number> {
  const find = async () => {
    const { data } = await lab.account.client.get<{ data: { name: string }[] }>('/api/videos?per_page=100');
    return data.filter((video) => video.name === name).length;
  };
  await expect.poll(find).toBeGreaterThan(0);
  return find();
}

describe.each(versions)('Uppy %s', (_, client) => {
  test('resumes after a pause with the missing parts', async () => {
    const page = await afterOnePart(client, 'uppy.pauseAll()');
    await page.run('uppy.resumeAll()');
    await page.run('uploaded.then(() => {})');
    expect(await statusOf(page)).toEqual(done);
    expect([count(page, 'create'), count(page, 'list'), count(page, 'complete')]).toEqual([1, 1, 1]);
    // 5.1.0 sends parts in parallel: an interrupted one may still be in the store.
    for (const part of [1, 2, 3]) expect(count(page, `put ${part}`)).toBeLessThanOrEqual(1);
    await page.close();
  });

  test('aborts an upload when the user cancels, and nothing stays in the store', async () => {
    const page = await afterOnePart(client, 'uppy.pauseAll()');
    const path = `/api/objstore/multipart/${await uploadIdOf(page)}`;
    const { url } = await lab.account.client.get<{ url: string }>(`${path}/2`);
    await page.run('uppy.cancelAll()');
    await expect.poll(() => count(page, 'abort')).toBe(1);
    await expect(lab.account.client.get(path)).rejects.toMatchObject({ status: 404 });
    const put = await fetch(url, { method: 'PUT', body: new Uint8Array(partBytes) });
    expect([put.status, await put.text()]).toEqual([404, expect.stringContaining('NoSuchUpload')]);
    expect(page.complaints).toEqual([]);
    await page.close();
  });
});

describe.each([500, 429])('when signing a part answers %i once', (status) => {
  test('Uppy 5.1.0 retries automatically', async () => {
    const page = await lab.page(clients.five, { inParts });
    lab.site.fail('sign 2', status);
    await page.add({ name: 'a.mp4', bytes });
    expect(await page.upload()).toMatchObject(done);
    expect([count(page, `sign 2 ${status}`), count(page, 'sign 2'), count(page, 'abort')]).toEqual([1, 1, 0]);
    await page.close();
  });

  test('Uppy 6.3.1 fails, and resumes when the user retries', async () => {
    const page = await lab.page(clients.six, { inParts });
    lab.site.fail('sign 2', status);
    await page.add({ name: 'a.mp4', bytes });
    expect(await page.upload()).toMatchObject([{ complete: false }]);
    await page.run('uppy.retryAll().then(() => {})');
    expect(await statusOf(page)).toEqual(done);
    expect(page.calls).toEqual([
      'create',
      'sign 1',
      'put 1',
      `sign 2 ${status}`,
      'list',
      'sign 2',
      'put 2',
      'sign 3',
      'put 3',
      'complete',
    ]);
    await page.close();
  });
});

test('Uppy 5.1.0 gets a new URL for a part when the old one has expired', async () => {
  const page = await lab.page(clients.five, { inParts });
  const yesterday = new Date(Date.now() - 24 * 3600 * 1000).toISOString().slice(0, 10).replaceAll('-', '');
  lab.site.change('sign 1', (body) => body.replaceAll(/\d{8}(?=T\d{6}Z|%2F)/g, yesterday));
  await page.add({ name: 'a.mp4', bytes: 1 });
  expect(await page.upload()).toMatchObject(done);
  expect(page.calls).toEqual(['create', 'sign 1', 'put 1 403', 'sign 1', 'put 1', 'complete']);
  await page.close();
});

test('Uppy 6.3.1 resumes after a reload of the page', async () => {
  // Golden Retriever stores files up to 10 MiB.
  const file = { name: 'reloaded.mp4', bytes: 9 * 2 ** 20 };
  const page = await afterOnePart(clients.six, 'uppy.pauseAll()', { ...file, restores: true });
  const uploadId = await uploadIdOf(page);
  // Golden Retriever writes its state with a delay of up to half a second.
  await expect.poll(() => page.run(kept)).toContain(uploadId);
  await page.reload();
  await expect.poll(() => uploadIdOf(page)).toBe(uploadId);
  await page.run(`new Promise((resolve) => {
    uppy.once('complete', () => resolve());
    uppy.emit('restore-confirmed');
  })`);
  expect(await statusOf(page)).toEqual(done);
  expect([count(page, 'create'), count(page, 'put 1'), count(page, 'complete')]).toEqual([1, 1, 1]);
  expect(page.calls).toContain('list');
  expect(await videosNamed('reloaded.mp4')).toBe(1);
  await page.close();
});

describe('when the store has completed an upload but the response is lost', () => {
  test('Uppy 5.1.0 tries to abort it, which is refused: the video exists', async () => {
    const page = await lab.page(clients.five, { inParts });
    lab.site.lose('complete');
    await page.add({ name: 'lost-five.mp4', bytes });
    expect(await page.upload()).toMatchObject([{ complete: false }]);
    await expect.poll(() => page.calls.slice(-2)).toEqual([expect.stringMatching(/^complete \w+/), 'abort 409']);
    expect(await videosNamed('lost-five.mp4')).toBe(1);
    await page.close();
  });

  test('Uppy 6.3.1 completes it again when the user retries, and there is one video', async () => {
    const page = await lab.page(clients.six, { inParts });
    lab.site.lose('complete');
    await page.add({ name: 'lost-six.mp4', bytes });
    expect(await page.upload()).toMatchObject([{ complete: false }]);
    await page.run('uppy.retryAll().then(() => {})');
    expect(await statusOf(page)).toEqual(done);
    expect(page.calls.slice(-3)).toEqual(['complete 503', 'list', 'complete']);
    expect(await videosNamed('lost-six.mp4')).toBe(1);
    await page.close();
  });
});
