import { join } from 'node:path';
import { expect } from 'vitest';
import type { Client, Source } from '../journey/support/client.ts';
import { runOrThrow } from '../journey/support/ffmpeg.ts';

/**
 * The data folder of an installation of 0.1.0, which was stopped while it encoded `In progress.mp4`. It also has a
 * finished video with captions, two templates, a webhook and a second user.
 */
export const installation = join(import.meta.dirname, '../fixtures/installations/0.1.0.tar.gz');

type Listed = { ulid: string; name: string; status: string };
type List<Item> = { data: Item[] };

async function find(client: Client, name: string): Promise<Listed> {
  const { data } = await client.get<List<Listed>>(`/api/videos?q=${encodeURIComponent(name)}`);
  expect(data.map((video) => video.name)).toEqual([name]);
  return data[0]!;
}

/** Decodes all outputs of a video to their ends. */
async function plays(client: Client, ulid: string, formats: readonly string[]): Promise<void> {
  const { sources } = await client.get<{ sources: Source[] }>(`/api/videos/${ulid}/sources`);
  expect(sources.map(({ format }) => format).sort()).toEqual([...formats].sort());
  for (const { url } of sources) await runOrThrow('ffmpeg', ['-xerror', '-i', url, '-f', 'null', '-']);
}

/** What a user stored with 0.1.0 is there, and a finished video plays with its captions. */
export async function expectStored(client: Client): Promise<void> {
  const { ulid, status } = await find(client, 'Old clip.mp4');
  expect(status).toBe('completed');
  await plays(client, ulid, ['hls', 'mp4']);
  const captions = await client.get<List<{ label: string; url: string }>>(`/api/videos/${ulid}/captions`);
  expect(captions.data.map(({ label }) => label)).toEqual(['English']);
  expect(await (await fetch(captions.data[0]!.url)).text()).toContain('Hello');
  const names = async (path: string) => (await client.get<List<{ name: string }>>(path)).data.map(({ name }) => name);
  expect((await names('/api/templates')).sort()).toEqual(['Slow', 'Small']);
  expect(await names('/api/webhooks')).toEqual(['Shop']);
  expect(await names('/api/users')).toContain('Ada');
}

/** A video that 0.1.0 was encoding is finished. */
export async function expectFinished(client: Client): Promise<void> {
  const { ulid } = await find(client, 'In progress.mp4');
  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed' });
  await plays(client, ulid, ['hls']);
}
