import { createHash, randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

/** What a bundle was made of: its settings, and the hash of each input by its path in the repository. */
type Description = { settings: string; inputs: Record<string, string>; code: string };

const keptMs = 14 * 86_400_000;

/**
 * Keeps bundles with the hashes of all files that they were made of. A bundle is used again while none of them has
 * changed. Several processes may use the folder at the same time.
 */
export async function openBundleCache(folder: string, root: string = repositoryRoot) {
  const openedAtMs = Date.now();
  const hashes = new Map<string, Promise<string>>();
  const hashOf = (path: string): Promise<string> => {
    const known = hashes.get(path) ?? readFile(join(root, path)).then(sha256, () => 'missing');
    hashes.set(path, known);
    return known;
  };
  const descriptionFile = (entry: string) => join(folder, `${entry.replaceAll('/', '.')}.json`);
  const codeFile = (code: string) => join(folder, `${code}.code`);
  await mkdir(folder, { recursive: true });
  const settings = await hashSettings(root);
  await removeOld(folder);

  return {
    /** Copies the bundle of an entry to a file. Returns false if there is none, or one of its files has changed. */
    async restore(entry: string, file: string): Promise<boolean> {
      const text = await readFile(descriptionFile(entry), 'utf8').catch(() => undefined);
      if (text === undefined) return false;
      const description = JSON.parse(text) as Description;
      if (description.settings !== settings) return false;
      const current = await Promise.all(
        Object.entries(description.inputs).map(async ([path, hash]) => (await hashOf(path)) === hash),
      );
      if (current.includes(false)) return false;
      await mkdir(dirname(file), { recursive: true });
      const [code, now] = [codeFile(description.code), new Date()];
      try {
        await copyFile(code, file);
        await Promise.all([utimes(code, now, now), utimes(descriptionFile(entry), now, now)]);
        return true;
      } catch {
        return false;
      }
    },

    /** Keeps the bundle of an entry. One whose inputs have changed since they were read is not kept. */
    async keep(entry: string, file: string, inputs: readonly string[]): Promise<void> {
      const times = await Promise.all(inputs.map((path) => stat(join(root, path))));
      if (times.some(({ mtimeMs }) => mtimeMs >= openedAtMs)) return;
      const bytes = await readFile(file);
      const code = sha256(bytes);
      const pairs = await Promise.all(inputs.map(async (path) => [path, await hashOf(path)] as const));
      const description: Description = { settings, inputs: Object.fromEntries(pairs), code };
      await replace(codeFile(code), bytes);
      await replace(descriptionFile(entry), JSON.stringify(description));
    },
  };
}

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** A reader sees the whole old or the whole new content. */
async function replace(file: string, content: string | Uint8Array): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  await writeFile(aside, content);
  await rename(aside, file);
}

/** What all bundles depend on: the versions of the packages, the build, and files that plugins read. */
async function hashSettings(root: string): Promise<string> {
  const embedded = (await filesBelow(root, 'functions')).filter((file) => !file.endsWith('.ts'));
  const files = [
    'package-lock.json',
    'package.json',
    'tsconfig.json',
    ...(await filesBelow(root, 'infra/build')),
    ...embedded,
  ];
  const hash = createHash('sha256').update(process.version);
  for (const file of files.toSorted()) {
    hash
      .update(`\0${file}\0`)
      .update(await readFile(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Paths relative to the root. */
async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > keptMs) await rm(join(folder, name), { force: true });
  }
}
