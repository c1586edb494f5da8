import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { ffmpeg } from './ffmpeg.ts';
import { startStore, type TestStore } from './store.ts';

export const h264 = ['-c:v', 'libx264', '-preset', 'superfast', '-pix_fmt', 'yuv420p'];

/** A store and a temporary folder for the clips of a test file, cleared and closed automatically. */
export function useStoreAndFolder(): { readonly store: TestStore; path: (name: string) => string } {
  let store: TestStore;
  let folder: string;
  beforeAll(async () => {
    store = await startStore();
    folder = await mkdtemp(join(tmpdir(), 'encoder-clips-'));
  });
  afterAll(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => {
    store.objects.clear();
    store.requests.length = 0;
  });
  return {
    get store() {
      return store;
    },
    path: (name) => join(folder, name),
  };
}

/** A small clip in which every frame looks different. */
export async function makeClip(file: string, rate: string, seconds: number, ...args: string[]): Promise<string> {
  await ffmpeg('-f', 'lavfi', '-i', `testsrc2=s=320x180:r=${rate}:d=${seconds}`, ...args, file);
  return file;
}

/** A clip of 25 fps in MPEG-TS: for `seconds` in each of the sizes, one after the other. */
export async function makeResizedClip(
  file: string,
  { seconds, sizes }: { seconds: number; sizes: string[] },
  ...args: string[]
): Promise<string> {
  const parts: Buffer[] = [];
  for (const [n, size] of sizes.entries()) {
    const clock = ['-output_ts_offset', String(n * seconds)];
    await ffmpeg('-f', 'lavfi', '-i', `testsrc2=s=${size}:r=25:d=${seconds}`, ...args, ...clock, file);
    parts.push(await readFile(file));
  }
  await writeFile(file, Buffer.concat(parts));
  return file;
}

/**
 * A black and silent clip of 25 fps with one white flash and one beep, both at `atSeconds`. `-itsoffset` values shift
 * the tracks with these signals.
 */
export async function makeClapper(
  file: string,
  {
    seconds,
    atSeconds,
    videoOffset = 0,
    audioOffset = 0,
  }: Record<'seconds' | 'atSeconds', number> & Partial<Record<'videoOffset' | 'audioOffset', number>>,
  ...args: string[]
): Promise<string> {
  const flash = `color=black:s=160x90:r=25:d=${seconds},drawbox=color=white:t=fill:enable='between(t,${atSeconds - 0.001},${atSeconds + 0.1})'`;
  const beep = `aevalsrc='if(between(t,${atSeconds},${atSeconds}+0.1),sin(2*PI*1000*t),0)':s=48000:d=${seconds}`;
  await ffmpeg(
    ...['-itsoffset', String(videoOffset), '-f', 'lavfi', '-i', flash],
    ...['-itsoffset', String(audioOffset), '-f', 'lavfi', '-i', beep],
    ...['-map', '0:v', '-map', '1:a', ...h264, '-bf', '2', '-c:a', 'aac', ...args, file],
  );
  return file;
}

/** A black picture, noise and motion, each for `seconds`: contents that encoders treat most differently. */
export function contrastsInput({ size, seconds, rate }: { size: string; seconds: number; rate: number }): string[] {
  const parts = [`color=black:s=${size}`, `color=gray:s=${size}`, `testsrc2=s=${size}`];
  const [black, gray, motion] = parts.map((part) => `${part}:r=${rate}:d=${seconds}`);
  const noise = `${gray},noise=alls=70:allf=t`;
  return ['-f', 'lavfi', '-i', `${black}[a];${noise}[b];${motion},format=yuv420p[c];[a][b][c]concat=n=3`];
}
