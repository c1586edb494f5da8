import { expect, inject, test } from 'vitest';
import { signUp } from './support/client.ts';
import { encodeGate } from './support/encode-gate.ts';
import { frames } from './support/measure.ts';

const clip = inject('clip');

const gatedBitrateBps = 401_000;
// The starter is encoded at once, the other rung when its gate is opened.
const query = {
  version: 1,
  video: [
    { name: 'v360', codec: 'h264', height: 360, bitrate: '400k', preset: 'ultrafast' },
    { name: 'v240', codec: 'h264', height: 240, bitrate: `${gatedBitrateBps / 1000}k`, preset: 'ultrafast' },
  ],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '96k', channels: 2 }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
};

type Sources = { sources: { status: string; url: string }[] };

test('a video plays while it is encoded, under the URL that it keeps', async () => {
  const client = await signUp(inject('apiUrl'));
  const sourcesOf = async (ulid: string) => (await client.get<Sources>(`/api/videos/${ulid}/sources`)).sources;
  const gate = encodeGate(inject('encodeGates'), gatedBitrateBps);
  await gate.close();
  const ulid = await client.upload({ file: clip.file, template: await client.makeTemplate(query), partBytes: 2 ** 24 });
  const isPlayable = ({ playable_at }: { playable_at: string | null }) => playable_at !== null;
  const playing = await client.waitFor(ulid, isPlayable, { everyMs: 200 });
  const [early] = await sourcesOf(ulid);
  expect([playing.status, early!.status]).toEqual(['running', 'running']);
  const text = await (await fetch(early!.url)).text();
  expect(text).toContain('v360.m3u8');
  expect(text).not.toContain('v240.m3u8');
  await gate.open();

  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed', playable_at: playing.playable_at });
  const [completed] = await sourcesOf(ulid);
  expect(completed!.status).toBe('completed');
  // Each response has another signature.
  const fileOf = (url: string) => url.slice(url.indexOf('/videos/'));
  expect(fileOf(completed!.url)).toBe(fileOf(early!.url));
  expect(await frames(early!.url, 240)).toHaveLength(clip.frames);
});
