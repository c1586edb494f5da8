import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { programsOfRoot } from '../../encoder-task/support/programs-of-root.ts';
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

/** A folder with the programs of the image. */
async function programsOfImage(folder: string): Promise<string> {
  const { env, stop } = await openEngine(['worker']);
  const root = join(folder, 'root');
  await exportImage(env, root).finally(stop);
  return programsOfRoot(root, join(folder, 'bin'));
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
