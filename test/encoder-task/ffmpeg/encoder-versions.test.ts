import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { videoCodecs } from '../../../shared/media/codecs.ts';
import { syncRequestSchema } from '../../../shared/protocol/jobs.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'encoder-versions-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.resetModules();
  await rm(folder, { recursive: true });
});

/** They are read once in a process. */
const read = async () => (await import('../../../encoder-task/ffmpeg/encoder-versions.ts')).readEncoders();

/** Puts a script in the place of ffmpeg. `"$@"` has the arguments. */
async function ffmpegIs(script: string): Promise<void> {
  const file = join(folder, 'ffmpeg');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
}

test('the ffmpeg of this machine has all encoders, each with a version', async () => {
  const encoders = await read();
  expect(Object.keys(encoders)).toEqual(videoCodecs);
  for (const version of Object.values(encoders)) expect(version).toMatch(/^lib[\w-]+ \d[\w.+-]*$/);
  const call = { worker: 'w', epoch: 'e', version: '1', encoders };
  expect(syncRequestSchema.parse(call).encoders).toEqual(encoders);
});

test('an encoder that ffmpeg lacks is missing', async () => {
  const { PATH = '' } = process.env;
  await ffmpegIs(`PATH='${PATH}'
case "$*" in *libsvtav1*) echo "Unknown encoder 'libsvtav1'" >&2; exit 1;; esac
exec ffmpeg "$@"`);
  expect(Object.keys(await read())).toEqual(videoCodecs.filter((codec) => codec !== 'av1'));
});

test('an encoder whose line is cut by that of another one is asked alone', async () => {
  const expected = await read();
  vi.resetModules();
  const { PATH = '' } = process.env;
  await ffmpegIs(`PATH='${PATH}'
case "$*" in *libx265*libvpx-vp9*) ffmpeg "$@" 2>&1 | sed 's/^\\(.libvpx-vp9 @ [^ ]*\\) v/\\1 x265 [info]: v/' >&2; exit 0;; esac
exec ffmpeg "$@"`);
  expect(await read()).toEqual(expected);
});

test.each([
  ['cannot run', 'exit 127'],
  ['says no version', 'exit 0'],
])('of an ffmpeg that %s nothing is known', async (_, script) => {
  await ffmpegIs(script);
  await expect(read()).rejects.toThrow();
});
