import { createHash, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { delimiter, extname, isAbsolute, join } from 'node:path';

/** Clips that ffmpeg generated in earlier runs of the tests, by their arguments. */
const usualFolder = join(import.meta.dirname, '../../../../node_modules/.cache/test-clips');
const largestBytes = 16 * 2 ** 20;

/**
 * Writes the clip at the end of ffmpeg's arguments with `make`, or copies the cached clip of the same arguments and
 * ffmpeg version. Only clips that depend on nothing but the arguments are cached.
 */
export async function cachedClip(
  args: string[],
  make: () => Promise<string>,
  folder: string = usualFolder,
): Promise<string> {
  const file = args.at(-1)!;
  if (!isGenerated(args)) return make();
  const recipe = JSON.stringify([ffmpegProgram(), ...args.slice(0, -1), extname(file)]);
  const kept = join(folder, createHash('sha256').update(recipe).digest('hex').slice(0, 32));
  const isThere = await copyFile(kept, file).then(
    () => true,
    () => false,
  );
  if (isThere) return '';
  const complaints = await make();
  if (complaints === '' && (await stat(file)).size <= largestBytes) {
    await mkdir(folder, { recursive: true });
    await keep(file, kept);
  }
  return complaints;
}

/** Whether all inputs are generators of ffmpeg, and the output is one file. */
function isGenerated(args: string[]): boolean {
  const file = args.at(-1)!;
  const inputs = args.flatMap((arg, at) => (arg === '-i' ? [at] : []));
  const readsFiles = args.some((arg) => /movie=|file(name)?=|-attach|-passlogfile/.test(arg));
  return (
    isAbsolute(file) &&
    !file.includes('%') &&
    !readsFiles &&
    inputs.length > 0 &&
    inputs.every((at) => args.slice(Math.max(0, at - 2), at).join(' ') === '-f lavfi')
  );
}

/** Writes to a temporary name and renames, because other processes may read or write the same clip. */
async function keep(file: string, kept: string): Promise<void> {
  const aside = `${kept}.${randomUUID()}`;
  await copyFile(file, aside);
  await rename(aside, kept).catch(() => rm(aside, { force: true }));
}

let program: string | undefined;

/** Path, size and time of the ffmpeg on the PATH, which differ between versions. */
function ffmpegProgram(): string {
  if (program !== undefined) return program;
  for (const path of (process.env.PATH ?? '').split(delimiter).map((name) => join(name, 'ffmpeg'))) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile()) {
      program = `${path} ${found.size} ${found.mtimeMs}`;
      return program;
    }
  }
  throw new Error('no ffmpeg on the PATH');
}
