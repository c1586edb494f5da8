import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import {
  type BundleFiles,
  bundleEncoder,
  bundleFunctions,
  copyImageFiles,
  encoderFiles,
  handlerFiles,
  handlers,
} from './bundle.ts';
import { openBundleCache } from './bundle-cache.ts';

/**
 * Creates the same files as `bundle`, but bundles only what has changed since it was kept in `cacheFolder`: linking the
 * SDK into every function takes esbuild several seconds of processor time. Returns the entries that were bundled.
 */
export async function bundleChanged(
  folder: string,
  cacheFolder: string,
  names: readonly string[] = handlers,
): Promise<string[]> {
  const cache = await openBundleCache(cacheFolder);
  const isChanged = async ({ entry, output }: BundleFiles) => !(await cache.restore(entry, join(folder, output)));
  const [areChanged, encoderChanged] = await Promise.all([
    Promise.all(names.map((name) => isChanged(handlerFiles(name)))),
    isChanged(encoderFiles),
    copyImageFiles(folder),
  ]);
  const changed = names.filter((_, index) => areChanged[index]);
  const keep = async ({ entry, output }: BundleFiles, metafile: Metafile) => {
    await cache.keep(entry, join(folder, output), inputsOf(metafile, entry));
    return entry;
  };
  const [functions, encoder] = await Promise.all([
    changed.length > 0 ? bundleFunctions(folder, changed) : undefined,
    encoderChanged ? bundleEncoder(folder) : undefined,
  ]);
  return Promise.all([
    ...(functions ? changed.map((name) => keep(handlerFiles(name), functions)) : []),
    ...(encoder ? [keep(encoderFiles, encoder)] : []),
  ]);
}

/**
 * The files of the repository that an entry imports, also those of which tree shaking leaves nothing. Packages and
 * modules that plugins replace are part of the settings of the cache.
 */
function inputsOf({ inputs }: Metafile, entry: string): string[] {
  const found = new Set([entry]);
  for (const path of found) {
    for (const { path: imported, external } of inputs[path]?.imports ?? []) if (!external) found.add(imported);
  }
  return [...found].filter((path) => !path.includes('node_modules/') && !/^[\w-]+:/.test(path));
}
