import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createEncodeGates } from './encode-gate.ts';
import { startService } from './service.ts';
import { type Clip, makeSourceClip } from './source-clip.ts';

declare module 'vitest' {
  interface ProvidedContext {
    apiUrl: string;
    dataFolder: string;
    clip: Clip;
    encodeGates: { folder: string };
  }
}

/** One service and one clip for all journeys that need no separate one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'journey-'));
  const dataFolder = join(folder, 'data');
  const gates = await createEncodeGates();
  const [service, clip] = await Promise.all([
    startService({ dataFolder, env: { PATH: gates.path } }),
    makeSourceClip(join(folder, 'clip.mp4'), { durationSeconds: 12 }),
  ]);
  project.provide('apiUrl', service.apiUrl);
  project.provide('dataFolder', dataFolder);
  project.provide('clip', clip);
  project.provide('encodeGates', { folder: gates.folder });
  return async () => {
    await service.stop();
    for (const line of service.errors) console.error(line);
    for (const one of [folder, gates.folder]) await rm(one, { recursive: true });
  };
}
