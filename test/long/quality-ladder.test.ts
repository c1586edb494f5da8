import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeLadder, rungsOf } from '../journey/quality/ladder.ts';
import { signUp } from '../journey/support/client.ts';
import { playbackErrors } from '../journey/support/measure.ts';
import { type Service, startService } from '../journey/support/service.ts';

let folder: string;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quality-'));
  service = await startService({ dataFolder: join(folder, 'data') });
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('all rungs of a ladder of constant quality are encoded for moving pictures, and play', async () => {
  const client = await signUp(service.apiUrl);
  const filters = 'noise=alls=30:allf=t';
  const video = await encodeLadder(client, folder, {
    source: 'testsrc2=s=854x480:r=15',
    filters,
    keyFrameDistance: 30,
  });
  expect(rungsOf(video).map(({ name, status }) => [name, status])).toEqual([
    ['480p', 'completed'],
    ['360p', 'completed'],
    ['240p', 'completed'],
  ]);
  // Noise needs more than the bitrate of the ladder at the default quality.
  expect(rungsOf(video)[0]!.input_params.crf).toBeGreaterThan(23);
  expect(await playbackErrors((await client.sources(video.ulid)).hls!)).toEqual([]);
});
