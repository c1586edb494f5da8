import { existsSync } from 'node:fs';
import { access, chmod, constants, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DamagedData, readWhole, writeWhole } from 'embedded-aws';
import { CannotStart } from './cannot-start.ts';

/** It contains keys, password hashes and videos. */
const ownerOnly = 0o700;
const others = 0o077;

const formatFile = 'data-format';
/** One of them is in every folder that a service has used. The first start makes `dynamodb` before all others. */
const serviceEntries = ['dynamodb', 's3', 'executions', 'credentials.json', 'parameters.json', formatFile];
/** Of a new file system, and of file managers. They may be in a folder for data. */
const harmlessEntries = new Set(['lost+found', '.DS_Store']);
/** Of the files in the folder. A version that older ones cannot read has a larger number. */
const dataFormat = 1;
/** Names the folder of the last backup, for messages. */
export const lastBackupFile = 'last-backup';

/**
 * Creates the folder that contains all state. A folder that other users can read becomes private with all in it.
 * @throws CannotStart when it cannot be created, written or made private, when it has only files of other programs, and
 *   when a newer version has written it
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  const present = await stat(folder).catch(() => undefined);
  if (present && !present.isDirectory()) {
    throw new CannotStart(`DATA_DIR ${folder} is no folder: set it to a folder, or to a new name.`);
  }
  try {
    await makeFolder(folder, ownerOnly);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotStart(`The data folder ${folder} cannot be written (${code}): ${remedies(code)}.`);
  }
  await requireOwnFiles(folder);
  const format = await readFormat(folder);
  if (format !== undefined && format > dataFormat) {
    throw new CannotStart(
      `The data folder ${folder} is of a newer version of the service (format ${format}, this version has ${dataFormat}): ` +
        'start that version, or restore a backup of this one into another folder.',
    );
  }
  if ((await stat(folder)).mode & others) await makePrivate(folder);
  if (format !== dataFormat) await writeWhole(join(folder, formatFile), String(dataFormat));
}

const setting = 'set DATA_DIR to a folder that you may write';

function remedies(code: string | undefined): string {
  if (code === 'EROFS') return `mount it writable, or ${setting}`;
  if (code === 'EACCES') return `give it to user ${process.getuid?.()} (chown), or ${setting}`;
  return setting;
}

/** Folders of 0.1.0 have no such file. */
const readFormat = (folder: string): Promise<number | undefined> =>
  readWhole(join(folder, formatFile), (content) => Number(content.toString()));

async function requireOwnFiles(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => !harmlessEntries.has(name));
  if (names.length === 0 || serviceEntries.some((name) => names.includes(name))) return;
  throw new CannotStart(
    `The data folder ${folder} has files of other programs (${names.toSorted().slice(0, 3).join(', ')}): ` +
      'set DATA_DIR to a new or empty folder.',
  );
}

/** The folder itself is last: a start that was interrupted before that begins again. */
async function makePrivate(folder: string): Promise<void> {
  try {
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory()) await chmod(path, ownerOnly);
      else if (entry.isFile()) await chmod(path, 0o600);
    }
    await chmod(folder, ownerOnly);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotStart(
      `Other users can read the data folder ${folder}, and this cannot be changed (${code}): ` +
        'make it yours and private (chown, chmod 700), or set DATA_DIR to another folder.',
    );
  }
}

/** Node's recursive mkdir never returns when a folder rejects new entries with ENOENT, as in /proc. */
async function makeFolder(folder: string, mode?: number): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder, { mode });
  }
}

/** What an operator does about damaged data. */
export async function damagedMessage({ message }: DamagedData, dataFolder: string): Promise<CannotStart> {
  const backup = await readFile(join(dataFolder, lastBackupFile), 'utf8').catch(() => '');
  // The file may be damaged, too.
  const folder = /^\/[\x21-\x7e]+\n$/.test(backup) ? backup.trim() : 'FOLDER';
  const which = folder === 'FOLDER' ? 'where FOLDER is your backup' : 'the last backup';
  return new CannotStart(
    `${message} The service does not start with it, and nothing was deleted: move ${dataFolder} away and run ` +
      `DATA_DIR=${dataFolder} npm run restore -- ${folder} (${which}); docs/local.md has other ways.`,
  );
}
