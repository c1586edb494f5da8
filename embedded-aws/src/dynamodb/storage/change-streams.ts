import { type Change, type Database, END, streamPrefix } from './database.ts';
import { isSameItem } from './same-item.ts';
import {
  type ItemChange,
  partitionHash,
  type StoredRecord,
  type StreamRecord,
  storedRecord,
  streamRecord,
} from './stream-record.ts';
import type { ServedTable, Tables } from './table-definitions.ts';

// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html

const shardCount = 4;
/** Records are available for 24 hours. */
export const retentionMs = 24 * 3600 * 1000;
const trimBatch = 1000;

/** The shards of every stream. They are never split, so they have no parents and no end. */
export const shardIds: readonly string[] = Array.from(
  { length: shardCount },
  (_, index) => `shardId-0000000000000000000${index}-00000000`,
);

/** A record at its place in a stream. */
export type StreamEntry = {
  shardId: string;
  /** Increases in a shard. All have the same length, so that they sort as text. */
  sequence: string;
  atMs: number;
  /** A number that all items with the same partition key share. */
  partitionHash: number;
  record: StreamRecord;
};

/** A stream for a reader in this process. */
export type StreamSource = {
  shardIds: readonly string[];
  /** Records after a sequence number, or from the oldest one on. */
  read(shardId: string, after: string | undefined, limit: number): Promise<StreamEntry[]>;
  /** A sequence number that follows all present records and precedes all later ones. */
  latest(): string;
  /** Calls `listener` with the records of each commit, in their order. */
  subscribe(listener: Listener): void;
};

type Listener = (entries: readonly StreamEntry[]) => void;
type Options = { database: Database; tables: Tables; region: string; nowMs: () => number };

export type ChangeStreams = Awaited<ReturnType<typeof openChangeStreams>>;

/**
 * The streams of all tables. The record of a change is written in the batch of the change, so that both exist or none.
 * The partition key of an item determines its shard.
 */
export async function openChangeStreams({ database, tables, region, nowMs }: Options) {
  const listeners = new Map<string, Set<Listener>>();
  /** How far each shard is trimmed. LevelDB would otherwise read all deleted records again. */
  const trimmedTo = new Map<string, string>();
  let lastNumber = await newestNumber(database, tables);

  /**
   * Sequence numbers contain the time. If the last writes are lost with the power, the next records still follow those
   * that were delivered before.
   */
  function nextSequence(): string {
    lastNumber = Math.max(lastNumber + 1, nowMs() * 1000);
    return sequenceOf(lastNumber);
  }

  function entryOf(table: ServedTable, key: string, stored: StoredRecord): StreamEntry {
    const [shardId, sequence] = key.slice(streamPrefix(table.TableName).length).split('~') as [string, string];
    return {
      shardId,
      sequence,
      atMs: stored.atMs,
      partitionHash: partitionHash(table, stored.keys),
      record: streamRecord(stored, { region, shardId, sequence, viewType: table.stream!.viewType }),
    };
  }

  return {
    /** The record of a change, to be committed with it. None for a write that changes nothing. */
    changesFor(table: ServedTable, { before, after, expired }: ItemChange): Change[] {
      if (!table.stream || !(before || after) || (before && after && isSameItem(before, after))) return [];
      const value = storedRecord(table, table.stream.viewType, { before, after, expired, atMs: nowMs() });
      const shardId = shardIds[partitionHash(table, value.keys) % shardCount]!;
      return [{ type: 'put', key: `${shardPrefix(table, shardId)}${nextSequence()}`, value }];
    },

    /** Notifies the readers of a stream. Called in the order of the commits. */
    announce(changes: readonly Change[]): void {
      for (const table of tables.values()) {
        const found = table.stream && listeners.get(table.stream.arn);
        if (!found) continue;
        const prefix = streamPrefix(table.TableName);
        const entries = changes.flatMap((change) =>
          change.type === 'put' && change.key.startsWith(prefix)
            ? [entryOf(table, change.key, change.value as StoredRecord)]
            : [],
        );
        if (entries.length > 0) for (const listener of found) listener(entries);
      }
    },

    /** Calls `listener` with the records of each commit while the table has this stream. */
    subscribe(arn: string, listener: Listener): void {
      const found = listeners.get(arn) ?? new Set();
      listeners.set(arn, found.add(listener));
    },

    /** Removes the records of a table: its next stream starts without any. */
    async clear({ TableName, stream }: ServedTable): Promise<void> {
      const prefix = streamPrefix(TableName);
      await database.clear({ gte: prefix, lt: prefix + END });
      for (const shardId of shardIds) trimmedTo.delete(`${prefix}${shardId}~`);
      if (stream) listeners.delete(stream.arn);
    },

    /** Records after a sequence number, or from the oldest one on. */
    async read(table: ServedTable, shardId: string, after: string | undefined, limit: number): Promise<StreamEntry[]> {
      const prefix = shardPrefix(table, shardId);
      const start = [after ?? '', trimmedTo.get(prefix) ?? ''].toSorted().at(-1)!;
      const found = await database.iterator({ gt: prefix + start, lt: prefix + END, limit }).all();
      return found.map(([key, value]) => entryOf(table, key, value as StoredRecord));
    },

    /** A sequence number that follows all records and precedes all later ones. */
    latest: (): string => nextSequence(),

    /** Removes records after their retention, or some of them when it is stopped. */
    async trim(isStopped = () => false): Promise<void> {
      const before = sequenceAt(nowMs() - retentionMs);
      for (const table of tables.values()) {
        if (!table.stream) continue;
        for (const shardId of shardIds) {
          const prefix = shardPrefix(table, shardId);
          let keys: string[];
          do {
            const range = { gt: prefix + (trimmedTo.get(prefix) ?? ''), lt: prefix + before, limit: trimBatch };
            keys = await database.keys(range).all();
            await database.batch(keys.map((key) => ({ type: 'del', key })));
            if (keys.length > 0) trimmedTo.set(prefix, keys.at(-1)!.slice(prefix.length));
          } while (keys.length === trimBatch && !isStopped());
        }
      }
    },
  };
}

const shardPrefix = ({ TableName }: ServedTable, shardId: string): string => `${streamPrefix(TableName)}${shardId}~`;

/** 21 digits, the least that DynamoDB uses. */
const sequenceOf = (number: number): string => `1${String(number).padStart(20, '0')}`;

/** The sequence number before this one, for a reader that starts at it. */
export const sequenceBefore = (sequence: string): string => sequenceOf(Number(sequence.slice(1)) - 1);

/** The first sequence number of a time in epoch milliseconds. */
export const sequenceAt = (timeMs: number): string => sequenceOf(timeMs * 1000);

async function newestNumber(database: Database, tables: Tables): Promise<number> {
  let newest = 0;
  for (const table of tables.values()) {
    if (!table.stream) continue;
    for (const shardId of shardIds) {
      const prefix = shardPrefix(table, shardId);
      const [key] = await database.keys({ gte: prefix, lt: prefix + END, reverse: true, limit: 1 }).all();
      if (key) newest = Math.max(newest, Number(key.slice(prefix.length + 1)));
    }
  }
  return newest;
}
