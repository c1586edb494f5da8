import { ServiceError } from '../../control/json-protocol.ts';
import {
  type Callback,
  db,
  type Item,
  type ItemStore,
  type Range,
  type Store,
  type Table,
} from '../dynalite/dynalite.ts';
import { type CapacityUse, changeUses } from './capacity-units.ts';
import { type Change, type Database, END, indexPrefix, itemPrefix } from './database.ts';
import { derivedChanges, indexEntryKey, indexWithEmptyKey } from './derived-entries.ts';
import type { DynamoContext } from './dynamodb-context.ts';
import type { SharedSnapshot } from './index-lag.ts';
import { itemSize } from './item-size.ts';
import type { KeyRange } from './query-cache.ts';
import type { ServedTable } from './table-definitions.ts';

type Snapshot = ReturnType<Database['snapshot']>;
/** `indexSnapshot` is an older state that indexes are read in. */
type StoreOptions = {
  changes?: Change[];
  snapshot?: Snapshot;
  indexSnapshot?: SharedSnapshot | undefined;
  /** The items that are deleted have expired. */
  expired?: true | undefined;
  /** Receives the capacity units of the writes. */
  uses?: CapacityUse[] | undefined;
  /** The writes are part of a transaction. */
  isTransaction?: boolean | undefined;
};
type ActionStore = Store & {
  changes: Change[];
  /** Adds what is written together with an item: index entries and the record of its stream. */
  addDerived(table: ServedTable, before: Item | undefined, after: Item | undefined): void;
};

/**
 * Creates the store for one dynalite action. It reads the database or a snapshot, and collects writes in `changes` for
 * the caller to commit. Reads of items are synchronous, so that an exception of an action reaches its caller instead of
 * ending the process.
 */
export function createActionStore(
  { database, tables, streams, queryCache }: Pick<DynamoContext, 'database' | 'tables' | 'streams' | 'queryCache'>,
  { changes = [], snapshot, indexSnapshot, expired, uses, isTransaction }: StoreOptions = {},
): ActionStore {
  const itemStore = (prefix: string, older?: SharedSnapshot): ItemStore => ({
    // The caller runs one write at a time, so no lock is needed.
    lock: (_key, work) => work((callback) => callback),
    get: (key, callback) => callback(null, database.getSync(prefix + key, snapshot ? { snapshot } : {}) as Item),
    put(key, value, callback) {
      changes.push({ type: 'put', key: prefix + key, value });
      callback();
    },
    del(key, callback) {
      changes.push({ type: 'del', key: prefix + key });
      callback();
    },
    openValues(range) {
      const keys = prefixed(prefix, range);
      return older
        ? database.values({ ...keys, snapshot: older.snapshot })
        : queryCache.openValues(keys, () => database.values(keys));
    },
  });
  return {
    changes,
    addDerived(table, before, after) {
      uses?.push(...changeUses(table, before, after, isTransaction));
      changes.push(...derivedChanges(table, before, after));
      changes.push(...streams.changesFor(table, { before, after, expired }));
    },
    options: { maxItemSize: db.MAX_SIZE },
    getItemDb: (tableName) => itemStore(itemPrefix(tableName)),
    getIndexDb: (_kind, tableName, indexName) => itemStore(indexPrefix(tableName, indexName), indexSnapshot),
    getTable(name, checkStatus, callback = checkStatus as Callback<Table>) {
      const table = tables.get(name);
      if (table) callback(null, table);
      else callback(tableNotFound(name));
    },
  };
}

export function tableNotFound(name: string): ServiceError {
  return new ServiceError(
    'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
    `Requested resource not found: Table: ${name} not found`,
  );
}

function prefixed(prefix: string, { gt, gte, lt, lte, reverse, limit }: Range): KeyRange {
  return {
    ...(gt !== undefined ? { gt: prefix + gt } : { gte: prefix + (gte ?? '') }),
    ...(lte !== undefined ? { lte: prefix + lte } : { lt: prefix + (lt ?? END) }),
    reverse: reverse ?? false,
    limit: limit ?? -1,
  };
}

// dynalite's actions call these functions through its module. Replacing them there makes keys of index entries unique,
// measures items as AWS does, and commits index entries and stream records together with the item.
db.createIndexKey = indexEntryKey;
db.itemSize = itemSize;
db.updateIndexes = (store, table, before, after, callback) => {
  const empty = after && indexWithEmptyKey(table, after);
  if (empty) {
    callback(
      db.validationError(
        'One or more parameter values are not valid. A value specified for a secondary index key is not supported. ' +
          'The AttributeValue for a key attribute cannot contain an empty string value. ' +
          `IndexName: ${empty.index}, IndexKey: ${empty.attribute}`,
      ),
    );
    return;
  }
  (store as ActionStore).addDerived(table as ServedTable, before, after ?? undefined);
  callback();
};
