import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findFreePorts } from '../fixtures/servers/find-free-ports.ts';
import { signUp } from './support/client.ts';
import { frames, playbackErrors } from './support/measure.ts';
import { processesOf } from './support/processes.ts';
import { type Service, startService, untilGone } from './support/service.ts';
import { slowChunks } from './support/templates.ts';

const clip = inject('clip');
let folder: string;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'killed-'));
});

afterAll(async () => {
  await service.stop();
  for (const line of service.errors) console.error(line);
  await rm(folder, { recursive: true });
});

test('a restarted service completes the video of a killed one without repeating finished encodes', async () => {
  const dataFolder = join(folder, 'data');
  const options = { dataFolder, port: await findFreePorts(), env: { WORKERS: '1' } };
  service = await startService(options);
  const client = await signUp(service.apiUrl);
  const template = await client.makeTemplate(slowChunks);
  const ulid = await client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 });
  // one worker, three chunks: at half of the progress one is finished and one is running
  const seen = await client.waitFor(ulid, ({ outputs }) => outputs.some(({ progress }) => progress >= 50));
  expect(seen.status).toBe('running');

  const killedMs = Date.now();
  for (const { pid, command } of await processesOf(dataFolder)) {
    if (command.includes('/infra/local/')) process.kill(pid, 'SIGKILL');
  }
  // the encoders notice that their service is gone
  await untilGone(dataFolder);

  service = await startService(options);
  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed', outputs: [{ progress: 100 }] });
  const { hls } = await client.sources(ulid);
  expect(await playbackErrors(hls!)).toEqual([]);
  const shown = (await frames(hls!, 360)).map(({ number }) => number);
  expect(shown).toEqual(Array.from({ length: clip.frames }, (_, number) => number));

  const written = await writtenMs(hls!);
  const keptSegments = written.filter((ms) => ms <= killedMs);
  expect(keptSegments.length).toBeGreaterThan(0);
  expect(keptSegments.length).toBeLessThan(written.length);
});

/** The Last-Modified time of each segment of the first rendition. */
async function writtenMs(masterUrl: string): Promise<number[]> {
  const [playlist] = await uris(masterUrl);
  const segments = await uris(playlist!);
  return Promise.all(
    segments.map(async (url) => Date.parse((await fetch(url, { method: 'HEAD' })).headers.get('last-modified')!)),
  );
}

async function uris(playlistUrl: string): Promise<string[]> {
  const text = await (await fetch(playlistUrl)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => new URL(line, playlistUrl).href);
}
