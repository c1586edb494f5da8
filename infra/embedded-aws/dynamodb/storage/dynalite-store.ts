import { Stream } from 'node:stream';
import db, { type Callback, type Item, type ItemStore, type Range, type Store, type Table } from 'dynalite/db/index.js';
import { ServiceError } from '../../control/json-protocol.ts';
import { type Change, type Database, END, indexPrefix, itemPrefix } from './database.ts';
import { derivedChanges, indexEntryKey, indexWithEmptyKey } from './derived-entries.ts';
import type { DynamoContext } from './dynamodb-context.ts';

type StoreOptions = { changes?: Change[]; snapshot?: ReturnType<Database['snapshot']> };
type ActionStore = Store & { changes: Change[] };

/**
 * The store that one dynalite action runs on. It reads the database (or the snapshot of it) and only collects writes in
 * `changes`, for the caller to commit; `fail` hears of errors that no callback can carry.
 * Items are read synchronously (from memory or the page cache), so that an action's exception reaches its caller instead
 * of the process.
 */
export function createActionStore(
  { database, tables }: Pick<DynamoContext, 'database' | 'tables'>,
  fail: (error: unknown) => void,
  { changes = [], snapshot }: StoreOptions = {},
): ActionStore {
  const itemStore = (prefix: string): ItemStore => ({
    // The caller runs writes one at a time, so there is nothing to lock.
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
    createValueStream: (range) => streamValues(database, prefix, range, fail),
  });
  return {
    changes,
    options: { maxItemSize: db.MAX_SIZE },
    getItemDb: (tableName) => itemStore(itemPrefix(tableName)),
    getIndexDb: (_kind, tableName, indexName) => itemStore(indexPrefix(tableName, indexName)),
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

/** Emits the values of a range as dynalite's queries expect them: `data` events, then `end`, unless destroyed before. */
function streamValues(database: Database, prefix: string, range: Range, fail: (error: unknown) => void) {
  // dynalite takes each value twice from an emitter that is not an instance of node's oldest stream class.
  const stream = Object.assign(new Stream(), {
    destroyed: false,
    destroy: () => Object.assign(stream, { destroyed: true }),
  });
  const values = database.values(prefixed(prefix, range));
  async function pump() {
    try {
      while (!stream.destroyed) {
        const batch = await values.nextv(200);
        for (const value of batch) {
          if (stream.destroyed) break;
          stream.emit('data', value);
        }
        if (batch.length === 0) {
          stream.emit('end');
          break;
        }
      }
    } catch (error) {
      fail(error);
    } finally {
      await values.close();
    }
  }
  pump();
  return stream;
}

function prefixed(prefix: string, { gt, gte, lt, lte, reverse, limit }: Range): Range {
  return {
    ...(gt !== undefined ? { gt: prefix + gt } : { gte: prefix + (gte ?? '') }),
    ...(lte !== undefined ? { lte: prefix + lte } : { lt: prefix + (lt ?? END) }),
    reverse: reverse ?? false,
    limit: limit ?? -1,
  };
}

// dynalite's actions call these two through its module, so replacing them there makes index entries part of the same
// commit as the item, under keys that are unique.
db.createIndexKey = indexEntryKey;
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
  (store as ActionStore).changes.push(...derivedChanges(table, before, after ?? undefined));
  callback();
};
