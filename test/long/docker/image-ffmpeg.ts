import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run } from './commands.ts';
import { type EngineEnv, engineOf, images } from './engine.ts';
import { openEngine } from './shared-engine.ts';

/**
 * The tests of the project find the ffmpeg and ffprobe of the worker's image first on the PATH. `FFMPEG_FOLDER` is a
 * folder with other ones, for which no image is built.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'image-ffmpeg-'));
  // The worker runs ffmpeg as a user without rights.
  await chmod(folder, 0o755);
  const programs = process.env.FFMPEG_FOLDER || (await programsOfImage(folder));
  process.env.PATH = [programs, process.env.PATH].join(delimiter);
  console.info((await run('ffmpeg', ['-version'])).split('\n')[0]);
  return () => rm(folder, { recursive: true });
}

/** The files of the image, and scripts that run its programs with its libraries. */
async function programsOfImage(folder: string): Promise<string> {
  const { env, stop } = await openEngine(['worker']);
  const root = join(folder, 'root');
  await exportImage(env, root).finally(stop);
  const triplet = (await readdir(join(root, 'usr/lib'))).find((name) => name.endsWith('-linux-gnu'))!;
  const libraries = ['', 'pulseaudio', 'blas', 'lapack'].map((inner) => join(root, 'usr/lib', triplet, inner));
  const [loader] = (await run('find', [join(root, 'usr'), '-name', 'ld-linux-*.so.?'])).split('\n');
  const programs = join(folder, 'bin');
  await mkdir(programs);
  for (const name of ['ffmpeg', 'ffprobe']) {
    const script = `#!/bin/sh\nexec '${loader}' --library-path '${libraries.join(':')}' '${root}/usr/bin/${name}' "$@"\n`;
    await writeFile(join(programs, name), script, { mode: 0o755 });
  }
  return programs;
}

async function exportImage(env: EngineEnv, root: string): Promise<void> {
  const { docker } = engineOf(env);
  await mkdir(root);
  const container = await docker('create', images.worker);
  try {
    await docker('export', '--output', `${root}.tar`, container);
    await run('tar', ['-xf', `${root}.tar`, '-C', root, '--exclude=dev', '--no-same-owner']);
    await rm(`${root}.tar`);
  } finally {
    await docker('rm', '--volumes', container);
  }
}
