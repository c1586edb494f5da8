import { ClassicLevel } from 'classic-level';
import { DamagedData } from '../../durable/damaged-data.ts';

/**
 * A LevelDB database. Every change is one `batch`, which LevelDB writes as one record: after a kill it exists as a
 * whole or not at all, and readers never see a part of it.
 */
export type Database = ClassicLevel<string, unknown>;
export type Change = { type: 'put'; key: string; value: unknown } | { type: 'del'; key: string };

/** Keys below these prefixes are ASCII, so `prefix + END` is after all of them. */
export const END = '\x7f';
export const tablePrefix = 'table~';
export const tokenPrefix = 'token~';
export const tokenExpiryPrefix = 'token-expiry~';
export const itemPrefix = (tableName: string): string => `item~${tableName}~`;
export const indexPrefix = (tableName: string, indexName: string): string => `index~${tableName}~${indexName}~`;
export const streamPrefix = (tableName: string): string => `stream~${tableName}~`;
/** Of a backup and of its items, by the end of its ARN. */
export const backupPrefix = 'backup~';
export const backupItemPrefix = (id: string): string => `backup-item~${id}~`;
export const expiryPrefix = (tableName: string): string => `expiry~${tableName}~`;

/** Commits changes in one step and notifies the readers of streams. Needs exclusive access. */
export async function commit({ database, streams, queryCache }: Committing, changes: Change[]): Promise<void> {
  await queryCache.duringCommit(changes, () => database.batch(changes));
  streams.announce(changes);
}
type Committing = {
  database: Database;
  streams: { announce(changes: readonly Change[]): void };
  queryCache: { duringCommit(changes: readonly Change[], work: () => Promise<void>): Promise<void> };
};

/** Opens the folder and creates it if necessary. Rejects when another process has it open. */
export async function openDatabase(folder: string): Promise<Database> {
  const database: Database = new ClassicLevel(folder, { valueEncoding: 'json' });
  try {
    await database.open();
  } catch (error) {
    if (isLocked(error)) {
      throw new Error(`${folder} is in use by another process`, { cause: error });
    }
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code === 'LEVEL_CORRUPTION') throw new DamagedData(folder, 'is damaged.');
    throw error;
  }
  return database;
}

/** Whether another process has the folder open. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && ((error as NodeJS.ErrnoException).code === 'LEVEL_LOCKED' || isLocked(error.cause));
