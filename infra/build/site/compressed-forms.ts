import { hash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { SiteEncoding } from '../../../shared/site-manifest.ts';

const cacheFolder = join(import.meta.dirname, '../../../node_modules/.cache/compressed');
const keptDays = 14;
/** A form that saves less is not worth a second copy of the file. */
const maxRatio = 0.9;

const compressors: Record<SiteEncoding, (content: Uint8Array) => Promise<Buffer>> = {
  br: (content) =>
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
  gzip: async (content) => {
    const compressed = await promisify(gzip)(content, { level: 9 });
    // zlib writes the operating system here; 255 means unknown. The same sources have the same bytes everywhere.
    compressed[9] = 255;
    return compressed;
  },
};

/** The compressed forms of a file that are clearly smaller than it, the preferred one first. */
export async function compressedForms(content: Uint8Array): Promise<{ encoding: SiteEncoding; bytes: Buffer }[]> {
  const forms = await Promise.all(
    (['br', 'gzip'] as const).map(async (encoding) => ({ encoding, bytes: await compressed(content, encoding) })),
  );
  return forms.filter(({ bytes }) => bytes.length < content.length * maxRatio);
}

/** Brotli takes a second for 500 KB, and most files are the same as in the last build. */
async function compressed(content: Uint8Array, encoding: SiteEncoding): Promise<Buffer> {
  const name = hash('sha256', content);
  const file = join(cacheFolder, `${name}.${encoding}`);
  const known = await readFile(file).catch(() => undefined);
  if (known) {
    await utimes(file, new Date(), new Date());
    return known;
  }
  const bytes = await compressors[encoding](content);
  await mkdir(cacheFolder, { recursive: true });
  // Another build may write the same file at the same time.
  const aside = `${file}.${randomUUID()}`;
  await writeFile(aside, bytes);
  await rename(aside, file);
  return bytes;
}

/** Removes forms that no build has used for two weeks. */
export async function removeUnusedForms(): Promise<void> {
  const names = await readdir(cacheFolder).catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const file = join(cacheFolder, name);
      // Another build may remove the same file.
      const usedAtMs = (await stat(file).catch(() => undefined))?.mtimeMs ?? Date.now();
      if (Date.now() - usedAtMs > keptDays * 86_400_000) await rm(file, { force: true });
    }),
  );
}
