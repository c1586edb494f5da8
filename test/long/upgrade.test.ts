import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient, type Source } from '../journey/support/client.ts';
import { runOrThrow } from '../journey/support/ffmpeg.ts';
import { type Service, startService } from '../journey/support/service.ts';
import { run } from './docker/commands.ts';

/*
 * The data folder of an installation of 0.1.0, which was stopped while it encoded `In progress.mp4`. It also has a
 * finished video with captions, two templates, a webhook and a second user.
 */
const installation = join(import.meta.dirname, '../fixtures/installations/0.1.0.tar.gz');

let folder: string;
let service: Service;
let client: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
  const dataFolder = join(folder, 'data');
  await mkdir(dataFolder, { mode: 0o700 });
  await run('tar', ['-xzf', installation, '-C', dataFolder]);
  service = await startService({ dataFolder });
  client = createClient(service.apiUrl, (await readFile(join(dataFolder, 'api-token'), 'utf8')).trim());
}, 300_000);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

type Listed = { ulid: string; name: string; status: string };
type List<Item> = { data: Item[] };

const find = async (name: string): Promise<Listed> => {
  const { data } = await client.get<List<Listed>>(`/api/videos?q=${encodeURIComponent(name)}`);
  expect(data.map((video) => video.name)).toEqual([name]);
  return data[0]!;
};

/** Decodes all outputs of a video to their ends. */
async function plays(ulid: string, formats: readonly string[]): Promise<void> {
  const { sources } = await client.get<{ sources: Source[] }>(`/api/videos/${ulid}/sources`);
  expect(sources.map(({ format }) => format).sort()).toEqual([...formats].sort());
  for (const { url } of sources) await runOrThrow('ffmpeg', ['-xerror', '-i', url, '-f', 'null', '-']);
}

test('what a user stored with 0.1.0 is there, and a finished video plays with its captions', async () => {
  const { ulid, status } = await find('Old clip.mp4');
  expect(status).toBe('completed');
  await plays(ulid, ['hls', 'mp4']);
  const captions = await client.get<List<{ label: string; url: string }>>(`/api/videos/${ulid}/captions`);
  expect(captions.data.map(({ label }) => label)).toEqual(['English']);
  expect(await (await fetch(captions.data[0]!.url)).text()).toContain('Hello');
  const names = async (path: string) => (await client.get<List<{ name: string }>>(path)).data.map(({ name }) => name);
  expect((await names('/api/templates')).sort()).toEqual(['Slow', 'Small']);
  expect(await names('/api/webhooks')).toEqual(['Shop']);
  expect(await names('/api/users')).toContain('Ada');
});

test('a video that 0.1.0 was encoding is finished', async () => {
  const { ulid } = await find('In progress.mp4');
  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed' });
  await plays(ulid, ['hls']);
});
