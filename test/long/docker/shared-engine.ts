import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { checkRequirements } from './commands.ts';
import { makeBase } from './debian-root.ts';
import { type EngineEnv, engineOf, hasEngine, type Image, startEngine } from './engine.ts';
import { buildImages } from './images.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** of the Docker engine that has all images */
    engine: EngineEnv;
    /** a Debian 13 root */
    base: string;
    /** the image of Debian on which the others are based */
    baseImage: string;
  }
}

/** One Docker engine with all images for the tests of this folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { env, base, baseImage, stop } = await openEngine(['worker', 'proxy', 'service']);
  project.provide('engine', env);
  project.provide('base', base);
  project.provide('baseImage', baseImage);
  return stop;
}

/**
 * An engine with these images: the one that runs on this machine, or a separate one. `IMAGE_CACHE` is a folder that
 * keeps the Debian root, and the separate engine with its images, for the next run.
 */
export async function openEngine(wanted: readonly Image[]) {
  const isRunning = await hasEngine();
  checkRequirements({ hasEngine: isRunning });
  const folder = await mkdtemp(join(tmpdir(), 'docker-'));
  const cache = process.env.IMAGE_CACHE ?? folder;
  const base = await makeBase(cache);
  const engine = isRunning ? { env: {}, stop: async () => {} } : await startEngine(join(cache, 'engine'));
  const stop = async () => {
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const baseImage = await buildImages(engineOf(engine.env), wanted, { base, folder: join(folder, 'build') });
    return { env: engine.env, base: base.root, baseImage, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
