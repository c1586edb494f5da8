import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Account, openAccount } from './support/account.ts';
import { type Client, signUp } from './support/client.ts';
import { encodeGate } from './support/encode-gate.ts';
import { frames, playbackErrors } from './support/measure.ts';
import { makeSourceClip } from './support/source-clip.ts';
import { gatedChunks } from './support/templates.ts';

const clip = inject('clip');
const partBytes = 16 * 2 ** 20;
const bitrateBps = 802_000;

let client: Client;
let account: Account;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replace-'));
  account = await openAccount(inject('dataFolder'));
  client = await signUp(inject('apiUrl'));
});

afterAll(async () => {
  await account?.close();
  await rm(folder, { recursive: true, force: true });
});

const hlsOf = async (ulid: string): Promise<string> => (await client.sources(ulid)).hls!;
const keyOf = (url: string): string => new URL(url).pathname.split(/\/s\/[^/]+\//)[1]!;
const originalOf = async (ulid: string): Promise<{ url: string; filename: string; size: number }> =>
  client.get(`/api/videos/${ulid}/original`);

test('a video plays its old source until the new one is encoded, and a file that is no video changes nothing', async () => {
  const template = await client.makeTemplate(gatedChunks(bitrateBps));
  const ulid = await client.upload({ file: clip.file, template, partBytes });
  await client.waitUntilDone(ulid);
  const oldUrl = await hlsOf(ulid);
  const shorter = await makeSourceClip(join(folder, 'shorter.mp4'), { durationSeconds: 5 });

  const gate = encodeGate(inject('encodeGates'), bitrateBps);
  await gate.close();
  expect(await client.upload({ file: shorter.file, template, partBytes, replaces: ulid })).toBe(ulid);
  const during = await client.waitFor(ulid, ({ status }) => status === 'running');
  expect(during.duration).toBeCloseTo(clip.durationSeconds, 1);
  expect(keyOf(await hlsOf(ulid))).toBe(keyOf(oldUrl));
  expect(await playbackErrors(await hlsOf(ulid))).toEqual([]);
  expect(await frames(await hlsOf(ulid), 360)).toHaveLength(clip.frames);
  expect((await originalOf(ulid)).filename).toBe('clip.mp4');
  await gate.open();

  const done = await client.waitUntilDone(ulid);
  expect([done.status, done.outputs.length]).toEqual(['completed', 1]);
  expect(done.duration).toBeCloseTo(shorter.durationSeconds, 1);
  const newUrl = await hlsOf(ulid);
  expect(await playbackErrors(newUrl)).toEqual([]);
  expect(await frames(newUrl, 360)).toHaveLength(shorter.frames);
  expect(await account.objectKeys(keyOf(oldUrl))).toEqual([]);
  const original = await originalOf(ulid);
  expect(original.filename).toBe('shorter.mp4');
  expect((await (await fetch(original.url)).arrayBuffer()).byteLength).toBe(original.size);

  const text = join(folder, 'text.mp4');
  await writeFile(text, 'This is no video.');
  await client.upload({ file: text, template, partBytes, replaces: ulid });
  const after = await client.waitFor(ulid, ({ replace_error }) => replace_error !== null);
  expect(after).toEqual({ ...done, replace_error: after.replace_error });
  expect(after.replace_error).toMatch(/^INPUT_NOT_MEDIA: /);
  expect(await frames(await hlsOf(ulid), 360)).toHaveLength(shorter.frames);
});
