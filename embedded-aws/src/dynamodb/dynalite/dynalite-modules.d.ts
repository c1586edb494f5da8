/** The parts of dynalite that are used. The package has no types. */
declare module 'dynalite/db/index.js' {
  export type AttributeValue = Record<string, unknown>;
  export type Item = Record<string, AttributeValue>;
  export type KeySchema = { AttributeName: string; KeyType: string }[];
  export type SecondaryIndex = {
    IndexName: string;
    KeySchema: KeySchema;
    Projection: { ProjectionType?: string; NonKeyAttributes?: string[] };
  };
  export type Table = {
    TableName: string;
    TableStatus: string;
    KeySchema: KeySchema;
    AttributeDefinitions: { AttributeName: string; AttributeType: string }[];
    GlobalSecondaryIndexes?: SecondaryIndex[];
  };
  export type Callback<T = void> = (error?: unknown, value?: T) => void;
  export type Range = { gt?: string; gte?: string; lt?: string; lte?: string; reverse?: boolean; limit?: number };
  export type Refusal = Error & { statusCode: number; body: Record<string, unknown> };

  /** Reads the values of a range in batches, in the state of the database at which it was opened. */
  export type Values = { nextv(size: number): Promise<unknown[]>; close(): Promise<void> };
  export type ItemStore = {
    lock(key: string, work: (release: <F>(callback: F) => F) => void): void;
    get(key: string, callback: Callback<Item>): void;
    put(key: string, item: Item, callback: Callback): void;
    del(key: string, callback: Callback): void;
    openValues(range: Range): Values;
  };
  export type Store = {
    options: { maxItemSize: number };
    getTable(name: string, checkStatus: boolean | Callback<Table>, callback?: Callback<Table>): void;
    getItemDb(tableName: string): ItemStore;
    getIndexDb(kind: string, tableName: string, indexName: string): Pick<ItemStore, 'openValues'>;
  };

  const db: {
    MAX_SIZE: number;
    createKey(item: Item, table: Table, keySchema?: KeySchema): string;
    createIndexKey(item: Item, table: Table, keySchema: KeySchema): string;
    toLexiStr(value: string, type: string): string;
    validateKey(key: Item, table: Table): Refusal | undefined;
    checkConditional(data: object, existing: Item | undefined): Refusal | null | undefined;
    validationError(message: string): Refusal;
    compare(operator: string, left: AttributeValue, right: AttributeValue): boolean;
    itemSize(item: Item): number;
    matchesExprFilter(item: Item, expression: object): boolean;
    matchesFilter(item: Item, filter: object, operator: string | undefined): boolean;
    mapPaths(paths: unknown[], item: Item): Item;
    queryTable: (
      store: Store,
      table: Table,
      data: never,
      range: Range,
      isLocal: unknown,
      readsTable: unknown,
      keyNames: string[],
      callback: Callback<Record<string, unknown>>,
    ) => void;
    updateIndexes(store: Store, table: Table, before: Item | undefined, after: Item | null, callback: Callback): void;
  };
  export default db;
}

declare module 'dynalite/db/*Parser.js' {
  import type { Parse } from '../items/expression-cache.ts';

  const parser: { parse: Parse };
  export default parser;
}

declare module 'dynalite/validations/index.js' {
  import type { Store } from 'dynalite/db/index.js';

  type Custom = (data: Record<string, unknown>, store: Store) => string | undefined;
  const validations: {
    /** Removes unknown members of `data` in place and converts the others. @throws SerializationException */
    checkTypes(data: object, types: object): Record<string, unknown>;
    /** Adds the parsed expressions to `data` as `_condition`, `_updates` and so on. @throws ValidationException */
    checkValidations(data: object, types: object, custom: Custom | undefined, store: Store): void;
  };
  export default validations;
}

declare module 'dynalite/validations/*.js' {
  import type { Store } from 'dynalite/db/index.js';

  const rules: {
    types: Record<string, { type?: string }>;
    custom?: (data: Record<string, unknown>, store: Store) => string | undefined;
  };
  export default rules;
}

declare module 'dynalite/actions/*.js' {
  import type { Callback, Store } from 'dynalite/db/index.js';

  const action: (store: Store, data: object, callback: Callback<Record<string, unknown>>) => void;
  export default action;
}
