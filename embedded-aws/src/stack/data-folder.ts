import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedData } from '../../embedded-aws/src/durable/damaged-data.ts';
import { proofEnding, requireProven } from '../../embedded-aws/src/durable/proof.ts';
import { requireIntactDatabase } from '../../embedded-aws/src/dynamodb/level/level-files.ts';
import { CannotStart } from './cannot-start.ts';

/** They have files with proofs. */
const folders = ['', 's3', 'executions', 'key-value-stores'];
/** Without the database, these would be files of videos and secrets that no record refers to. */
const othersOfDatabase = ['credentials.json', 'parameters.json', 's3/journal'];
/** Names the folder of the last backup, for messages. */
export const lastBackupFile = 'last-backup';

/**
 * Checks the database and all files with proofs, before any of them is opened. It changes nothing.
 * @throws DamagedData
 */
export async function verifyData(dataFolder: string): Promise<void> {
  const database = join(dataFolder, 'dynamodb');
  await requireIntactDatabase(database);
  const other = othersOfDatabase.find((name) => existsSync(join(dataFolder, name)));
  if (other && !existsSync(join(database, 'CURRENT'))) throw new DamagedData(database, `is missing beside ${other}.`);
  for (const folder of folders) {
    for (const name of await readdir(join(dataFolder, folder)).catch(() => [])) {
      const isProof = name.endsWith(proofEnding) && name !== `dynamodb${proofEnding}`;
      if (isProof) await requireProven(join(dataFolder, folder, name.slice(0, -proofEnding.length)));
    }
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
