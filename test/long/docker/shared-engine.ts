import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { checkRequirements } from './commands.ts';
import { makeBase } from './debian-root.ts';
import { buildImages, startEngine } from './images.ts';
import { nodeAddress } from './network.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** of the Docker engine with the images `worker`, `proxy` and `service` */
    engineFolder: string;
    /** a Debian 13 root */
    base: string;
  }
}

export const registryPort = 5055;

/**
 * One Docker engine with all images for the tests of this folder. `IMAGE_CACHE` is a folder that keeps base and images
 * for the next run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  checkRequirements();
  const folder = await mkdtemp(join(tmpdir(), 'docker-'));
  const cache = process.env.IMAGE_CACHE ?? folder;
  const base = join(cache, 'base');
  const engineFolder = join(cache, 'engine');
  if (!existsSync(base)) await makeBase(base);
  const engine = await startEngine(engineFolder, `${nodeAddress}:${registryPort}`);
  const stop = async () => {
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await buildImages(engine, base, join(folder, 'build'));
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('engineFolder', engineFolder);
  project.provide('base', base);
  return stop;
}
