import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Account, openAccount } from './support/account.ts';
import { type Client, signUp, type Video } from './support/client.ts';
import { encodeGate } from './support/encode-gate.ts';
import { frames, playbackErrors } from './support/measure.ts';
import { gatedChunks, hlsOf } from './support/templates.ts';

const clip = inject('clip');
const partBytes = 16 * 2 ** 20;

let client: Client;
let account: Account;
let first: Video;
let firstUrl: string;

beforeAll(async () => {
  account = await openAccount(inject('dataFolder'));
  client = await signUp(inject('apiUrl'));
  const template = await client.makeTemplate(hlsOf([240]));
  const ulid = await client.upload({ file: clip.file, template, partBytes });
  first = await client.waitUntilDone(ulid);
  firstUrl = (await client.sources(ulid)).hls!;
});

afterAll(() => account.close());

const cpuSeconds = async (): Promise<number> =>
  (await client.usageOfToday()).find(({ metric }) => metric === 'encoding_cpu')?.value ?? 0;

describe('reprocessing a video', () => {
  test('with the same template reuses every result and costs nothing', async () => {
    const before = await cpuSeconds();
    await client.reprocess(first.ulid);
    const again = await client.waitUntilDone(first.ulid);
    expect(again.outputs).toEqual(first.outputs);
    expect(again.streams).toEqual(first.streams);
    expect(await cpuSeconds()).toBe(before);
    expect((await client.sources(first.ulid)).hls!.split('/videos/')[1]).toBe(firstUrl.split('/videos/')[1]);
  });

  test('with force runs every job again and publishes the new results', async () => {
    const before = await cpuSeconds();
    await client.reprocess(first.ulid, undefined, { force: true });
    const again = await client.waitUntilDone(first.ulid);
    expect(again.status).toBe('completed');
    expect(await cpuSeconds()).toBeGreaterThan(before);
    const { hls } = await client.sources(first.ulid);
    expect(hls!.split('/videos/')[1]).not.toBe(firstUrl.split('/videos/')[1]);
    expect(await playbackErrors(hls!)).toEqual([]);
    firstUrl = hls!;
  });

  test('with another template serves the old outputs until the new ones replace them', async () => {
    const bitrateBps = 801_000;
    const gate = encodeGate(inject('encodeGates'), bitrateBps);
    await gate.close();
    await client.reprocess(first.ulid, await client.makeTemplate(gatedChunks(bitrateBps)));
    await client.waitFor(first.ulid, ({ status }) => status === 'running');
    expect(await playbackErrors(firstUrl)).toEqual([]);
    await gate.open();
    const { outputs, streams } = await client.waitUntilDone(first.ulid);
    expect(outputs.map(({ format, status }) => [format, status])).toEqual([['hls', 'completed']]);
    expect(streams.map(({ type, height }) => [type, height])).toEqual([
      ['original', 360],
      ['video', 360],
      ['audio', null],
    ]);
    const { hls } = await client.sources(first.ulid);
    expect(await playbackErrors(hls!)).toEqual([]);
    expect(await frames(hls!, 360)).toHaveLength(clip.frames);
    // The edge may deliver its copy for another minute.
    const [, replacedKey] = new URL(firstUrl).pathname.split(/\/s\/[^/]+\//);
    expect(await account.objectKeys(replacedKey)).toEqual([]);
  });

  test('probes the source again when the template names other tracks', async () => {
    const query = hlsOf([240]);
    await client.reprocess(first.ulid, await client.makeTemplate({ ...query, tracks: { video: 7 } }));
    const failed = await client.waitUntilDone(first.ulid);
    expect(failed.status).toBe('failed');
    expect(JSON.stringify(failed)).toContain('INPUT_TRACK_MISSING: The video track of the file is 0, and track 7');
    await client.reprocess(first.ulid, await client.makeTemplate(query));
    expect(await client.waitUntilDone(first.ulid)).toMatchObject({ status: 'completed' });
  });
});

test('an upload changes the picture and chooses the tracks of its video, whatever the template', async () => {
  const template = await client.makeTemplate({ ...hlsOf([240]), picture: { flip: 'vertical' } });
  const settings = {
    picture: { rotate: 90, crop: { left: '50%' } },
    tracks: { audio: [{ from: [1], as: 'mono', language: 'de', name: 'Ton' }] },
  };
  const ulid = await client.upload({ file: clip.file, template, partBytes, settings });
  const made = await client.waitUntilDone(ulid);
  expect(made).toMatchObject({
    status: 'completed',
    aspect_ratio: '9:8',
    picture: { rotate: 90, crop: { left: '50%', top: 0, right: 0, bottom: 0 }, deinterlace: 'auto' },
    tracks: { video: 'auto', audio: [{ from: [1], as: 'mono', language: 'de', name: 'Ton' }] },
  });
  expect(made.streams).toMatchObject([
    { type: 'original' },
    { type: 'video', width: 270, height: 240 },
    { type: 'audio', language: 'de', channels: 1 },
  ]);
  expect(await playbackErrors((await client.sources(ulid)).hls!)).toEqual([]);
});
