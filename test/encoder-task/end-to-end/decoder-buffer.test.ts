import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { leastFullness } from '../support/decoder-buffer.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { makeOutputs } from '../support/make-outputs.ts';

const files = useStoreAndFolder();
const buffer = { capBps: 300_000, bufferBits: 450_000 };
let source: string;

/**
 * Three chunks of 4 s. Noise across each chunk border needs more than the maximum bitrate, so that the next chunk
 * starts with an empty buffer.
 */
beforeAll(async () => {
  source = files.path('hard.mp4');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', "testsrc2=s=192x108:r=25:d=12,noise=alls=40:allf=t:enable='gt(mod(t+2,4),1)'"],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '12', '-pix_fmt', 'yuv420p', source],
  );
});

async function fullnessOf(rung: object): Promise<number> {
  const name = JSON.stringify(rung).replace(/\W+/g, '-');
  const query = {
    video: [{ name: 'v', gop: 1, max_bitrate: '300k', buffer_size: '450k', ...rung }],
    outputs: [{ format: 'hls', segment_duration: 2 }],
    chunk_duration: 4,
  };
  const { folder, plan } = await makeOutputs(files.store, source, query, files.path(name));
  // The first chunks are short, so that the video plays soon.
  expect(plan.groups[0]?.chunks).toHaveLength(4);
  const track = join(folder, 'video/v');
  const segments = (await readdir(track)).filter((file) => file.endsWith('.m4s')).sort();
  const parts = await Promise.all(['init.mp4', ...segments].map((file) => readFile(join(track, file))));
  const joined = files.path('joined.mp4');
  await writeFile(joined, Buffer.concat(parts));
  return leastFullness(joined, buffer);
}

const rungs: [string, object][] = [
  ['H.264 with a bitrate', { codec: 'h264', preset: 'veryfast', bitrate: '250k' }],
  ['H.264 in two passes', { codec: 'h264', preset: 'medium', bitrate: '250k', two_pass: true }],
  ['H.264 with a quality', { codec: 'h264', preset: 'medium', crf: 18 }],
  ['HEVC with a bitrate', { codec: 'hevc', preset: 'superfast', bitrate: '250k' }],
  ['HEVC with a quality', { codec: 'hevc', preset: 'superfast', crf: 18 }],
];
const sample = ['H.264 in two passes', 'HEVC with a quality'];

test.each(sampled(rungs, sample))('the decoder buffer never underflows in joined chunks of %s', async (_, rung) => {
  expect(await fullnessOf(rung)).toBeGreaterThanOrEqual(0);
});
