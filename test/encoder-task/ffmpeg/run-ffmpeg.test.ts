import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runFfmpeg } from '../../../encoder-task/ffmpeg/run-ffmpeg.ts';
import { createLog } from '../../../encoder-task/runtime/log.ts';
import { limits } from '../support/context.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-ffmpeg-'));
  // a file of type MP4 that ends before its index
  await writeFile(join(folder, 'track.mp4'), Buffer.from('00000010667479706d70343200000000', 'hex'));
});
afterAll(() => rm(folder, { recursive: true }));

const readTrack = (source?: { failure: () => undefined }) =>
  runFfmpeg(
    { folder, limits, priority: 'normal', signal: new AbortController().signal, log: createLog('error') },
    { args: ['-i', 'track.mp4', '-f', 'null', '-'], ...(source && { source }) },
  );

test('a broken file of the job itself is a fault of the encoder, so that the job is repeated', async () => {
  await expect(readTrack()).rejects.toMatchObject({ code: 'ENCODER_FAILED', fatal: false });
});

test('a source without an index is a fault of the source', async () => {
  await expect(readTrack({ failure: () => undefined })).rejects.toMatchObject({ code: 'INPUT_TRUNCATED', fatal: true });
});
