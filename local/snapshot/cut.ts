import { copyFileSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The small files of a data folder at one moment. `folder` has them under the same paths; only the first `sizeBytes` of
 * each belong to the cut. `finishedExecutions` are names of folders whose files no longer change.
 */
export type Cut = { folder: string; files: CutFile[]; finishedExecutions: string[] };
export type CutFile = { path: string; sizeBytes: number };

/**
 * Where the files of a cut are while a backup reads them. On the file system of the data folder, because hard links
 * need that.
 */
export const cutFolderOf = (dataFolder: string): string => join(dataFolder, 'backup-cut');

export const finishedFolder = 'executions/finished';

/**
 * Not part of a cut: LevelDB, which is read through a snapshot; immutable files, of which there may be very many and
 * which are copied afterwards; files that only running processes need; and files that are still being written.
 */
const excluded = [
  /^dynamodb(\.proof)?$/,
  /^s3\/blobs$/,
  /^executions\/finished$/,
  /^tasks\/[^/]+\/(?!request\.json$)/,
  /^aws-config$/,
  /^last-backup$/,
  /^backup-cut$/,
  /\.new$/,
];

/** An operation of the file system that was started before the cut may rename or remove a file during it. */
const maxAttempts = 100;

/**
 * Links the small files of a data folder into a new folder. It is synchronous, so that the process that owns the data
 * folder changes nothing at the same time. Every file is only appended to or replaced by a rename. A link together with
 * the size at this moment is therefore as good as a copy.
 */
export function takeCut(dataFolder: string): Cut {
  const parent = cutFolderOf(dataFolder);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    const folder = join(parent, String(attempt));
    mkdirSync(folder);
    try {
      const files = pathsIn(dataFolder).map((path) => linkFile(dataFolder, folder, path));
      const finished = join(dataFolder, finishedFolder);
      return { folder, files, finishedExecutions: existsSync(finished) ? readdirSync(finished) : [] };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === maxAttempts) throw error;
    }
  }
}

function pathsIn(dataFolder: string, folder = ''): string[] {
  return readdirSync(join(dataFolder, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (excluded.some((pattern) => pattern.test(path))) return [];
    if (entry.isDirectory()) return pathsIn(dataFolder, path);
    return entry.isFile() ? [path] : [];
  });
}

function linkFile(dataFolder: string, folder: string, path: string): CutFile {
  const [from, to] = [join(dataFolder, path), join(folder, path)];
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch (error) {
    // Some file systems, such as exFAT, have no hard links.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    copyFileSync(from, to);
  }
  return { path, sizeBytes: lstatSync(to).size };
}
