import { setTimeout } from 'node:timers/promises';
import type { Item } from './dynalite/dynalite.ts';
import { db } from './dynalite/dynalite.ts';
import { stageWrite } from './items/item-writes.ts';
import { commit, expiryPrefix } from './storage/database.ts';
import type { DynamoContext } from './storage/dynamodb-context.ts';
import { removeExpiredTokens } from './transactions/transaction-tokens.ts';

/** DynamoDB does not delete items that expired more than five years ago, because the value is probably not a time. */
const OLDEST_EXPIRY_SECONDS = 5 * 365 * 24 * 3600;
/** Small, so that other writes are not delayed. */
const BATCH_ITEMS = 100;
const PAUSE_MS = 1000;
const TRIM_PAUSE_MS = 60_000;

/**
 * Removes expired items and records of streams repeatedly until stopped. `stop` resolves when no removal is running.
 */
export function startExpiry(context: DynamoContext): { stop(): Promise<void> } {
  const stopped = new AbortController();
  async function run() {
    let trimMs = 0;
    while (!stopped.signal.aborted) {
      await removeExpired(context).catch((error: unknown) => console.error(error));
      if (performance.now() >= trimMs) {
        await context.streams.trim(() => stopped.signal.aborted).catch((error: unknown) => console.error(error));
        trimMs = performance.now() + TRIM_PAUSE_MS;
      }
      await setTimeout(PAUSE_MS, undefined, { ref: false, signal: stopped.signal }).catch(() => undefined);
    }
  }
  const running = run();
  return {
    stop() {
      stopped.abort();
      return running;
    },
  };
}

/** Removes items whose time-to-live attribute (epoch seconds) is in the past, and expired transaction tokens. */
export async function removeExpired(context: DynamoContext): Promise<void> {
  await context.exclusively(() => removeExpiredTokens(context.database, context.nowMs()));
  for (const table of context.tables.values()) {
    if (!table.timeToLiveAttribute) continue;
    while ((await context.exclusively(() => removeBatch(context, table.TableName))) === BATCH_ITEMS);
  }
}

async function removeBatch(context: DynamoContext, tableName: string): Promise<number> {
  const nowSeconds = Math.floor(context.nowMs() / 1000);
  const boundary = (seconds: number) => expiryPrefix(tableName) + db.toLexiStr(String(seconds), 'N');
  const range = { gte: boundary(nowSeconds - OLDEST_EXPIRY_SECONDS), lt: boundary(nowSeconds), limit: BATCH_ITEMS };
  const keys = (await context.database.values(range).all()) as Item[];
  const deletions = await Promise.all(
    keys.map((Key) => stageWrite(context, 'DeleteItem', { TableName: tableName, Key }, { expired: true })),
  );
  await commit(
    context,
    deletions.flatMap(({ changes }) => changes),
  );
  return keys.length;
}
