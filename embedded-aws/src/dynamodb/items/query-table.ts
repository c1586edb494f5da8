import { type Callback, db, type Item, type Range, type Store, type Table } from '../dynalite/dynalite.ts';
import { itemSize, pageSize } from '../storage/item-size.ts';

const maxPageBytes = 1024 * 1024;
const batchLength = 200;

/** A validated query or scan, with its parsed expressions. */
type QueryInput = {
  TableName: string;
  IndexName?: string;
  Limit?: number;
  Select?: string;
  ConsistentRead?: boolean;
  ReturnConsumedCapacity?: string;
  ConditionalOperator?: string;
  QueryFilter?: object;
  ScanFilter?: object;
  AttributesToGet?: string[];
  _filter?: { expression: object };
  _projection?: { paths: unknown[] };
};

/**
 * Replaces the function of the same name that dynalite's queries and scans end with: reads a page of the range.
 * dynalite uses several streams, and computes sizes with arbitrary-precision numbers, which takes longer than the read.
 * The parameters for local indexes are unused, because tables have global indexes only.
 */
export function queryTable(
  store: Store,
  table: Table,
  data: QueryInput,
  range: Range,
  _isLocal: unknown,
  _readsTable: unknown,
  keyNames: string[],
  callback: Callback<Record<string, unknown>>,
): void {
  // A filter that cannot be evaluated throws, which fails this query only.
  readPage(store, table, data, range)
    .then((page) => responseOf(page, data, keyNames))
    .then((output) => callback(null, output), callback);
}

type Page = { items: Item[]; isFull: boolean; units: number };

async function readPage(store: Store, table: Table, data: QueryInput, range: Range): Promise<Page> {
  const { TableName, IndexName, Limit = Number.POSITIVE_INFINITY, ConsistentRead } = data;
  const source = IndexName ? store.getIndexDb('global', TableName, IndexName) : store.getItemDb(TableName);
  const isCounted = data.ReturnConsumedCapacity === 'TOTAL';
  const sortKey = table.KeySchema[1]?.AttributeName;
  const items: Item[] = [];
  let [bytes, countedBytes] = [0, 0];
  const isFull = () => items.length >= Limit || bytes >= maxPageBytes;
  const values = source.openValues({ ...range, ...(data.Limit && { limit: data.Limit }) });
  try {
    while (!isFull()) {
      const batch = await values.nextv(Math.min(Limit - items.length, batchLength));
      if (batch.length === 0) break;
      for (const item of batch as Item[]) {
        if (isFull()) break;
        items.push(item);
        bytes += pageSize(item, sortKey);
        if (isCounted) countedBytes += itemSize(item);
      }
    }
  } finally {
    await values.close();
  }
  return { items, isFull: isFull(), units: Math.ceil(countedBytes / 4096) * (ConsistentRead ? 1 : 0.5) };
}

function responseOf({ items, isFull, units }: Page, data: QueryInput, keyNames: string[]): Record<string, unknown> {
  const last = items.at(-1);
  const matching = items.filter((item) => isMatch(item, data));
  const paths = data._projection?.paths ?? data.AttributesToGet;
  return {
    ScannedCount: items.length,
    Count: matching.length,
    ...(isFull && last && { LastEvaluatedKey: Object.fromEntries(keyNames.map((name) => [name, last[name]])) }),
    ...(data.Select !== 'COUNT' && { Items: paths ? matching.map((item) => db.mapPaths(paths, item)) : matching }),
    ConsumedCapacity: { CapacityUnits: units },
  };
}

function isMatch(item: Item, { _filter, QueryFilter, ScanFilter, ConditionalOperator }: QueryInput): boolean {
  if (_filter) return db.matchesExprFilter(item, _filter.expression);
  const filter = QueryFilter ?? ScanFilter;
  return !filter || db.matchesFilter(item, filter, ConditionalOperator);
}
