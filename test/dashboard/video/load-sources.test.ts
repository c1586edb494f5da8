import { afterEach, expect, test, vi } from 'vitest';
import { contentDisposition, downloadName } from '../../../delivery/urls/download-name.ts';

// The client of the dashboard reads the address of the page.
vi.stubGlobal('location', { origin: 'http://127.0.0.1:3000' });
const { downloadUrl, loadSources } = await import('../../../dashboard/video/load-sources.ts');

const fetched = vi.fn(async (_request: Request) => Response.json({ sources: [] }));
vi.stubGlobal('fetch', fetched);
const paths = () =>
  fetched.mock.calls.map(([{ url }]) => {
    const { pathname, search } = new URL(url);
    return pathname + search;
  });

afterEach(() => fetched.mockClear());

test('a player and links that ask at the same time share one request', async () => {
  const [player, links] = await Promise.all([loadSources('01A'), loadSources('01A', 21_600)]);
  expect(paths()).toEqual(['/api/videos/01A/sources?expires_in=21600']);
  expect(player.data).toEqual({ sources: [] });
  expect(links.data).toBe(player.data);
});

test('other videos and lifetimes have their own requests', async () => {
  await Promise.all([loadSources('01A'), loadSources('01B'), loadSources('01A', 3600)]);
  expect(paths()).toEqual([
    '/api/videos/01A/sources?expires_in=21600',
    '/api/videos/01B/sources?expires_in=21600',
    '/api/videos/01A/sources?expires_in=3600',
  ]);
});

test('after an answer, or a failure, the next call asks again', async () => {
  fetched.mockRejectedValueOnce(new TypeError('offline'));
  await expect(loadSources('01A')).rejects.toThrow();
  await loadSources('01A');
  await loadSources('01A');
  expect(paths()).toHaveLength(3);
});

test('a call for a change is not answered by a request that began before it', async () => {
  let answerFirst = (_: Response) => {};
  fetched.mockReturnValueOnce(new Promise((resolve) => (answerFirst = resolve)));
  const first = loadSources('01A');
  await vi.waitFor(() => expect(paths()).toHaveLength(1));
  fetched.mockResolvedValueOnce(Response.json({ sources: [{ format: 'mp4' }] }));
  const afterChange = await loadSources('01A');
  expect(afterChange.data).toEqual({ sources: [{ format: 'mp4' }] });
  answerFirst(Response.json({ sources: [] }));
  expect((await first).data).toEqual({ sources: [] });
});

test.each(['Beach in summer *1*.mov', "it's (100 %) + ü.mp4"])('%s is downloaded under its name', (name) => {
  const encoded = downloadName(name, '.mp4');
  for (const folder of ['https://cdn.example.com/s/k1.1.s.sig', '/s/k1.1.s.sig', '/p']) {
    const { pathname, search } = new URL(
      downloadUrl(`${folder}/videos/V/r1/video.mp4?name=${encoded}`),
      'http://127.0.0.1:3000',
    );
    expect(contentDisposition(pathname + search)).toContain(`filename="${encoded}"`);
  }
});
