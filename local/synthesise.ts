import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../infra/repository-root.ts';

/** Below node_modules, where the bundles find the packages that they do not carry. */
const defaultCacheFolder = join(repositoryRoot, 'node_modules/.cache/cloud-assembly');
const defaultBundleFolder = join(repositoryRoot, 'node_modules/.cache/bundles');
/** The image of the service has the cloud assembly of its version here, without the sources. */
const preparedFolder = join(repositoryRoot, 'cloud-assembly');
/** The compiled code of the CDK, without which each synthesis compiles it again. */
const compileCacheFolder = join(repositoryRoot, 'node_modules/.cache/compiled');
/** What the template and the bundles are made of. Packages are those of the lock file. */
const sources = [
  'infra',
  'functions',
  'shared',
  'delivery',
  'encoder-task',
  'dashboard',
  'client',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
];
const isGenerated = /(^|[\\/])(node_modules|dist)[\\/]/;
const keptDays = 14;

/**
 * Returns the folder with the cloud assembly of the stage `local`. It is synthesised when its sources have changed. If
 * two processes do so at the same time, one of the results is used. Functions that have not changed are taken from
 * `bundleCache`.
 */
export async function synthesise(
  cacheFolder: string = defaultCacheFolder,
  bundleCache: string = defaultBundleFolder,
): Promise<string> {
  if (existsSync(preparedFolder)) return preparedFolder;
  const folder = join(cacheFolder, await hashSources());
  const found = await stat(folder).catch(() => undefined);
  if (found) {
    await utimes(folder, new Date(), new Date());
    return folder;
  }
  const aside = join(cacheFolder, `${randomUUID()}.new`);
  await mkdir(aside, { recursive: true });
  await promisify(execFile)(process.execPath, [join(repositoryRoot, 'infra/app.ts')], {
    cwd: repositoryRoot,
    env: {
      NODE_COMPILE_CACHE: compileCacheFolder,
      ...process.env,
      CDK_OUTDIR: aside,
      CDK_CONTEXT_JSON: JSON.stringify({ stage: 'local', bundleCache }),
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  await rename(aside, folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(aside, { recursive: true });
  });
  await removeOld(cacheFolder);
  return folder;
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const source of sources) {
    for (const file of await filesBelow(source)) {
      hash
        .update(`${file}\0`)
        .update(await readFile(join(repositoryRoot, file)))
        .update('\0');
    }
  }
  return hash.digest('hex').slice(0, 32);
}

/** Paths relative to the root, sorted. */
async function filesBelow(path: string): Promise<string[]> {
  if (!(await stat(join(repositoryRoot, path))).isDirectory()) return [path];
  const entries = await readdir(join(repositoryRoot, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(repositoryRoot.length + 1))
    .filter((file) => !isGenerated.test(file))
    .sort();
}

async function removeOld(cacheFolder: string): Promise<void> {
  for (const name of await readdir(cacheFolder)) {
    const { mtimeMs } = await stat(join(cacheFolder, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > keptDays * 86_400_000)
      await rm(join(cacheFolder, name), { recursive: true, force: true });
  }
}
