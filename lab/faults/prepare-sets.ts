import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { FaultSet } from './injected/fault.ts';

export type Prepared = {
  /** added to the environment of the service */
  env: Record<string, string>;
  folderOf(set: FaultSet): string;
};

/** Creates a folder for each set and merges their environments. */
export async function prepareSets(sets: readonly FaultSet[], folder: string): Promise<Prepared> {
  const folders = new Map(sets.map((set, index) => [set, join(folder, `set-${index}`)]));
  const environments: Record<string, string>[] = [];
  for (const [set, own] of folders) {
    await mkdir(own);
    environments.push((await set.environment?.(own)) ?? {});
  }
  const all = (name: string): string[] => environments.flatMap((one) => one[name] ?? []);
  return {
    env: {
      ...Object.assign({}, ...environments),
      PATH: [...all('PATH'), process.env.PATH].join(delimiter),
      NODE_OPTIONS: [process.env.NODE_OPTIONS, ...all('NODE_OPTIONS')].filter(Boolean).join(' '),
    },
    folderOf: (set) => folders.get(set)!,
  };
}
