import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { xpsnr } from '../../../../lab/bench/ladder/xpsnr.ts';
import { runOrThrow } from '../../../journey/support/ffmpeg.ts';

const frames = 5;
let folder = '';
const path = (name: string): string => join(folder, `${name}.nut`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'xpsnr-'));
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25', '-frames:v', String(frames), '-pix_fmt', 'yuv420p'];
  await runOrThrow('ffmpeg', [...source, '-c:v', 'rawvideo', path('reference')]);
  // the frames of an encode are compared by their numbers: its clock may start elsewhere
  const late = ['-output_ts_offset', '7'];
  await runOrThrow('ffmpeg', [...source, '-c:v', 'ffv1', ...late, path('same')]);
  for (const [name, crf] of Object.entries({ better: '20', worse: '40' })) {
    await runOrThrow('ffmpeg', [...source, '-c:v', 'libx264', '-crf', crf, ...late, path(name)]);
  }
});
afterAll(() => rm(folder, { recursive: true }));

const decibelsOf = (name: string): Promise<number> => xpsnr(path(name), path('reference'), frames);

test('XPSNR is larger for the better of two encodes, and 99 dB without loss', async () => {
  const [same, better, worse] = [await decibelsOf('same'), await decibelsOf('better'), await decibelsOf('worse')];
  expect(same).toBe(99);
  expect(better).toBeLessThan(60);
  expect(better).toBeGreaterThan(worse + 5);
  expect(worse).toBeGreaterThan(10);
});

test('another number of frames is an error', async () => {
  await expect(xpsnr(path('same'), path('reference'), frames + 1)).rejects.toThrow('5 frames and not 6');
});

test('an unreadable file is an error', async () => {
  await expect(xpsnr(path('missing'), path('reference'), frames)).rejects.toThrow('FFmpeg refuses the graph');
});
