import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedData } from '../durable/damaged-data.ts';
import { proofEnding, requireProven } from '../durable/proof.ts';
import { closeAndNote, requireIntactDatabase, wasClosed } from '../dynamodb/level/level-files.ts';
import { type Database, isLocked, openDatabase } from '../dynamodb/storage/database.ts';
import { type Entries, readEntries, writeEntries } from '../dynamodb/storage/entries.ts';
import { type DamagedObject, findDamagedObjects as findIn } from '../s3/storage/damaged-objects.ts';
import { referencedBlobsIn } from '../s3/storage/journal-blobs.ts';

// The data folder of a stack, for programs that check, copy or restore it while no stack runs on it.

const databaseIn = (dataFolder: string): string => join(dataFolder, 'dynamodb');
const journalIn = (dataFolder: string): string => join(dataFolder, 's3/journal');

/** They have files with proofs. */
const folders = ['', 's3', 'executions', 'key-value-stores'];
/** Without the database, these would be objects and secrets that no record refers to. */
const othersOfDatabase = ['credentials.json', 'parameters.json', 's3/journal'];

/** Whether a stack has stored items in the folder. */
export const hasItems = (dataFolder: string): boolean => existsSync(join(databaseIn(dataFolder), 'CURRENT'));
/** Whether a stack has stored objects in the folder. */
export const hasObjects = (dataFolder: string): boolean => existsSync(journalIn(dataFolder));

/**
 * Checks the database and all files with proofs, before any of them is opened. It changes nothing.
 * @throws DamagedData
 */
export async function verifyData(dataFolder: string): Promise<void> {
  const database = databaseIn(dataFolder);
  await requireIntactDatabase(database);
  const other = othersOfDatabase.find((name) => existsSync(join(dataFolder, name)));
  if (other && !hasItems(dataFolder)) throw new DamagedData(database, `is missing beside ${other}.`);
  for (const folder of folders) {
    for (const name of await readdir(join(dataFolder, folder)).catch(() => [])) {
      const isProof = name.endsWith(proofEnding) && name !== `dynamodb${proofEnding}`;
      if (isProof) await requireProven(join(dataFolder, folder, name.slice(0, -proofEnding.length)));
    }
  }
}

export type Lock = { close(): Promise<void> };

/**
 * Locks a folder, which is made if necessary, until `close` or the end of the process. Undefined when another process
 * has locked it.
 */
export const lockFolder = (folder: string): Promise<Lock | undefined> => openUnlessLocked(folder);

/**
 * Locks a data folder and reads all items of its tables as they are now. Undefined when a stack or another reader has
 * it.
 */
export async function openItems(dataFolder: string): Promise<(Lock & { readEntries(): Entries }) | undefined> {
  const folder = databaseIn(dataFolder);
  const isUnchanged = await wasClosed(folder);
  const database = await openUnlessLocked(folder);
  if (!database) return undefined;
  return {
    readEntries: () => readEntries(database),
    // A database that was closed in order is still so, and the next start does not check its indexes.
    close: () => (isUnchanged ? closeAndNote(folder, () => database.close()) : database.close()),
  };
}

async function openUnlessLocked(folder: string): Promise<Database | undefined> {
  return openDatabase(folder).catch((error: unknown) => {
    if (isLocked(error)) return undefined;
    throw error;
  });
}

/** Writes the items of another data folder into a new one. Returns the paths of the written files in it. */
export async function writeItems(dataFolder: string, entries: AsyncIterable<[string, string][]>): Promise<string[]> {
  await writeEntries(databaseIn(dataFolder), entries);
  const names = await readdir(databaseIn(dataFolder));
  return names.filter((name) => !/^(LOCK|LOG(\.old)?)$/.test(name)).map((name) => `dynamodb/${name}`);
}

/** The paths in a data folder of the files that its objects, and parts of uploads, consist of. */
export async function filesOfObjects(dataFolder: string): Promise<string[]> {
  if (!hasObjects(dataFolder)) return [];
  return (await referencedBlobsIn(journalIn(dataFolder))).map((name) => `s3/blobs/${name}`);
}

/**
 * Compares the files of all objects with what was stored. It changes nothing, and a stack may run on the folder.
 * @throws DamagedData when the list of the objects is damaged
 */
export const findDamagedObjects = (dataFolder: string): Promise<{ objects: number; damaged: DamagedObject[] }> =>
  findIn(join(dataFolder, 's3'));
