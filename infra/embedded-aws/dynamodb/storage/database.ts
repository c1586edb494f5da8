import { ClassicLevel } from 'classic-level';

/**
 * The LevelDB folder. Every change is one `batch`, which is one record in LevelDB's log: after a kill it is there whole
 * or not at all, and no reader sees a part of it.
 */
export type Database = ClassicLevel<string, unknown>;
export type Change = { type: 'put'; key: string; value: unknown } | { type: 'del'; key: string };

/** Keys below these prefixes are ASCII, so `prefix + END` is past the last of them. */
export const END = '\x7f';
export const tablePrefix = 'table~';
export const tokenPrefix = 'token~';
export const tokenExpiryPrefix = 'token-expiry~';
export const itemPrefix = (tableName: string): string => `item~${tableName}~`;
export const indexPrefix = (tableName: string, indexName: string): string => `index~${tableName}~${indexName}~`;
export const expiryPrefix = (tableName: string): string => `expiry~${tableName}~`;

/** Opens the folder, making it if absent. Rejects with a sentence when another process has it open. */
export async function openDatabase(folder: string): Promise<Database> {
  const database: Database = new ClassicLevel(folder, { valueEncoding: 'json' });
  try {
    await database.open();
  } catch (error) {
    if (isLocked(error)) {
      throw new Error(`${folder} is in use by another process`, { cause: error });
    }
    throw error;
  }
  return database;
}

/** Whether another process has the folder open. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && ((error as NodeJS.ErrnoException).code === 'LEVEL_LOCKED' || isLocked(error.cause));
