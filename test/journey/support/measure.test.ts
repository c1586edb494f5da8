import { mkdtemp, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runOrThrow } from './ffmpeg.ts';
import { audioVideoOffsetSeconds, durationSeconds, frames, playbackErrors } from './measure.ts';

const clip = inject('clip');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'measure-'));
});

afterAll(() => rm(folder, { recursive: true }));

const make = async (name: string, args: string[]): Promise<string> => {
  const file = join(folder, name);
  await runOrThrow('ffmpeg', [...args, file]);
  return file;
};

describe('the measurements of the journeys', () => {
  test('find no fault in the clip itself', async () => {
    expect(await playbackErrors(clip.file)).toEqual([]);
    expect((await frames(clip.file, clip.height)).map(({ number }) => number)).toEqual([...Array(clip.frames).keys()]);
    expect(await durationSeconds(clip.file)).toBeCloseTo(clip.durationSeconds, 3);
    const { first, last } = await audioVideoOffsetSeconds(clip.file, clip.height);
    expect([first, last]).toEqual([expect.closeTo(0, 2), expect.closeTo(0, 2)]);
  });

  test('detect a missing and a repeated frame', async () => {
    const filter = "select='not(eq(n,100))',setpts=N/FR/TB,loop=loop=1:size=1:start=200";
    const args = ['-t', '8', '-i', clip.file, '-an', '-vf', filter, '-preset', 'ultrafast', '-fps_mode', 'passthrough'];
    const numbers = (await frames(await make('frames.mp4', args), clip.height)).map(({ number }) => number);
    expect(numbers.slice(98, 102)).toEqual([98, 99, 101, 102]);
    expect(numbers.slice(199, 203)).toEqual([200, 200, 201, 202]);
  });

  test('detect audio that is a tenth of a second late', async () => {
    const args = ['-i', clip.file, '-itsoffset', '0.1', '-i', clip.file, '-map', '0:v', '-map', '1:a', '-c', 'copy'];
    const { first, last } = await audioVideoOffsetSeconds(await make('late.mp4', args), clip.height);
    expect([first, last]).toEqual([expect.closeTo(0.1, 2), expect.closeTo(0.1, 2)]);
  });

  test('detect a truncated file', async () => {
    const file = await make('broken.mp4', ['-i', clip.file, '-c', 'copy', '-movflags', '+faststart']);
    await truncate(file, Math.floor((await stat(file)).size / 2));
    expect(await playbackErrors(file)).not.toEqual([]);
  });
});
