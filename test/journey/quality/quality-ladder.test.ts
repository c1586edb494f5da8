import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Client, signUp } from '../support/client.ts';
import { playbackErrors } from '../support/measure.ts';
import { encodeLadder, rungsOf } from './ladder.ts';

let client: Client;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quality-'));
  client = await signUp(inject('apiUrl'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// test/long/quality-ladder.test.ts encodes moving pictures, which takes much longer.
test('a ladder of constant quality has no rungs that bring no gain: a warning says why, and nothing has failed', async () => {
  const filters = 'trim=end_frame=1,loop=-1:1,setpts=N/15/TB';
  // A source with key frames only has a bitrate that does not limit the ladder.
  const video = await encodeLadder(client, folder, { source: 'testsrc=s=854x480:r=15', filters, keyFrameDistance: 1 });
  expect(rungsOf(video).map(({ name, status }) => [name, status])).toEqual([
    ['480p', 'completed'],
    ['360p', 'completed'],
  ]);
  const { warnings } = video.streams.find(({ type }) => type === 'original')!.meta as { warnings: string[] };
  expect(warnings).toContainEqual(
    expect.stringMatching(/^240p is left out: 480p needs only \d+ kbit\/s for this video\.$/),
  );
  expect(video.outputs).toMatchObject([{ status: 'completed', progress: 100 }]);
  const { hls } = await client.sources(video.ulid);
  expect(await playbackErrors(hls!)).toEqual([]);
  const master = await (await fetch(hls!)).text();
  expect(master.match(/^#EXT-X-STREAM-INF:/gm)).toHaveLength(2);
});
