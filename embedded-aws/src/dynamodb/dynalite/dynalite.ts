import { createRequire } from 'node:module';
import type action from 'dynalite/actions/*.js';
import type parser from 'dynalite/db/*Parser.js';
import type database from 'dynalite/db/index.js';
import type rules from 'dynalite/validations/*.js';
import type checks from 'dynalite/validations/index.js';

// dynalite executes operations on items. None of the modules that are used here belongs to its public API, so that the
// version is pinned. They are a copy for this package alone, in which other modules replace functions.

export type {
  AttributeValue,
  Callback,
  Item,
  ItemStore,
  Range,
  SecondaryIndex,
  Store,
  Table,
  Values,
} from 'dynalite/db/index.js';

const modules = createRequire(import.meta.url)('./private-dynalite.cjs');

export const db: typeof database = modules['db/index.js'];
export const validations: typeof checks = modules['validations/index.js'];
export const parsers: Record<'condition' | 'projection' | 'update', typeof parser> = {
  condition: modules['db/conditionParser.js'],
  projection: modules['db/projectionParser.js'],
  update: modules['db/updateParser.js'],
};

const actionOf = (name: string): { run: typeof action; rules: typeof rules } => ({
  run: modules[`actions/${name}.js`],
  rules: modules[`validations/${name}.js`],
});

export const actions = {
  BatchGetItem: actionOf('batchGetItem'),
  BatchWriteItem: actionOf('batchWriteItem'),
  DeleteItem: actionOf('deleteItem'),
  GetItem: actionOf('getItem'),
  PutItem: actionOf('putItem'),
  Query: actionOf('query'),
  Scan: actionOf('scan'),
  UpdateItem: actionOf('updateItem'),
};
