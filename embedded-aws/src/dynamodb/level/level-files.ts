import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedData } from '../../durable/damaged-data.ts';
import { replaceFile, undefinedWhenMissing } from '../../durable/proof.ts';
import { blocksOfTable, isIntact, liveFiles, recordsOf } from './level-format.ts';

/**
 * LevelDB makes a new database where CURRENT is missing, ignores damaged records of its log, and deletes the tables
 * that a manifest does not name. So its files are checked before it opens them.
 */

/** What the files of a database contained when it was closed. */
const closedFile = (folder: string): string => `${folder}.proof`;
const isNoted = (name: string): boolean => /^(CURRENT|MANIFEST-\d+|\d+\.(log|ldb))$/.test(name);

/**
 * Checks that the files of a database are complete and unchanged. It changes nothing. A database that does not exist
 * yet is complete. The last record of a log may be incomplete: the end of the machine has interrupted it. If another
 * process changes the files at the same time, the check is repeated.
 * @throws DamagedData
 */
export async function requireIntactDatabase(folder: string): Promise<void> {
  const before = await manifestOf(folder);
  await requireIntactFiles(folder).catch(async (error) => {
    if ((await manifestOf(folder)) === before) throw error;
    await requireIntactDatabase(folder);
  });
}

/** What changes with the set of files. */
async function manifestOf(folder: string): Promise<string> {
  const current = await currentOf(folder);
  const manifest = await stat(join(folder, current.trimEnd())).catch(() => undefined);
  return JSON.stringify([existsSync(closedFile(folder)), current, manifest?.size]);
}

async function requireIntactFiles(folder: string): Promise<void> {
  const names = (await readdir(folder).catch(undefinedWhenMissing)) ?? [];
  await requireAsClosed(folder, names, await currentOf(folder));
  if (!names.includes('CURRENT')) {
    for (const name of names) {
      // A start that was interrupted before it had a database has written nothing.
      if (name.endsWith('.ldb') || (name.endsWith('.log') && (await stat(join(folder, name))).size > 0)) {
        throw new DamagedData(join(folder, 'CURRENT'), 'is missing.');
      }
    }
    return;
  }
  const current = (await currentOf(folder)).trimEnd();
  if (!/^MANIFEST-\d+$/.test(current)) throw new DamagedData(join(folder, 'CURRENT'), 'is damaged.');
  const bytesOf = async (name: string): Promise<Buffer> => {
    const bytes = await readFile(join(folder, name)).catch(undefinedWhenMissing);
    if (!bytes) throw new DamagedData(join(folder, name), 'is missing.');
    return bytes;
  };
  const records = recordsOf(await bytesOf(current), join(folder, current));
  const { tables, logNumber } = liveFiles(records, join(folder, current));
  for (const { number, bytes } of tables) {
    const name = names.find((one) => numberOf(one) === number && /\.(ldb|sst)$/.test(one));
    const path = join(folder, name ?? `${String(number).padStart(6, '0')}.ldb`);
    const content = await bytesOf(name ?? `${String(number).padStart(6, '0')}.ldb`);
    if (content.length !== bytes) throw new DamagedData(path, `has ${content.length} bytes instead of ${bytes}.`);
    for (const block of blocksOfTable(content, path)) if (!isIntact(block)) throw new DamagedData(path, 'is damaged.');
  }
  const logs = names.filter((name) => name.endsWith('.log') && numberOf(name) >= logNumber);
  const first = `${String(logNumber).padStart(6, '0')}.log`;
  // The manifest names a log when that exists. An older copy of the manifest names one that was deleted.
  if (logNumber > 0 && !logs.includes(first)) throw new DamagedData(join(folder, first), 'is missing.');
  for (const name of logs) recordsOf(await bytesOf(name), join(folder, name));
}

/**
 * Closes a database and notes what its files contain. Opening a database changes CURRENT, so a later start ignores what
 * an earlier one has noted. Tables never change and have checksums, so their sizes suffice.
 */
export async function closeAndNote(folder: string, close: () => Promise<void>): Promise<void> {
  const current = await currentOf(folder);
  await close();
  const files: Record<string, string> = {};
  for (const name of (await readdir(folder)).filter(isNoted)) files[name] = await fingerprint(join(folder, name));
  const json = JSON.stringify(files);
  // Another process may have opened it at once.
  if ((await currentOf(folder)) === current) await replaceFile(closedFile(folder), `${hash('sha256', json)} ${json}\n`);
}

/** Whether the database was closed, and not opened since. Call it before the database is opened. */
export async function wasClosed(folder: string): Promise<boolean> {
  const noted = await notedFiles(folder);
  return noted !== undefined && noted.CURRENT === (await fingerprint(join(folder, 'CURRENT')).catch(() => undefined));
}

async function notedFiles(folder: string): Promise<Record<string, string> | undefined> {
  const text = await readFile(closedFile(folder), 'utf8').catch(undefinedWhenMissing);
  if (text === undefined) return undefined;
  const [checksum, json = ''] = text.trimEnd().split(/ (.*)/s);
  if (checksum !== hash('sha256', json) || !text.endsWith('\n'))
    throw new DamagedData(closedFile(folder), 'is damaged.');
  return JSON.parse(json);
}

async function requireAsClosed(folder: string, names: string[], current: string): Promise<void> {
  const files = await notedFiles(folder);
  if (!files) return;
  const manifest = Object.keys(files).find((name) => name.startsWith('MANIFEST'))!;
  // It was opened since then.
  if (numberOf(current) > numberOf(manifest)) return;
  for (const [name, expected] of Object.entries(files)) {
    const path = join(folder, name);
    if (!names.includes(name)) throw new DamagedData(path, 'is missing.');
    if ((await fingerprint(path)) !== expected) throw new DamagedData(path, 'is damaged, or is an older copy.');
  }
}

async function fingerprint(path: string): Promise<string> {
  const { size } = await stat(path);
  return path.endsWith('.ldb') ? `${size}` : `${size} ${hash('sha256', await readFile(path))}`;
}

const currentOf = (folder: string): Promise<string> => readFile(join(folder, 'CURRENT'), 'utf8').catch(() => '');
const numberOf = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);
