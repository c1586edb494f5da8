import batchGetItem from 'dynalite/actions/batchGetItem.js';
import batchWriteItem from 'dynalite/actions/batchWriteItem.js';
import deleteItem from 'dynalite/actions/deleteItem.js';
import getItem from 'dynalite/actions/getItem.js';
import putItem from 'dynalite/actions/putItem.js';
import query from 'dynalite/actions/query.js';
import scan from 'dynalite/actions/scan.js';
import updateItem from 'dynalite/actions/updateItem.js';
import conditionParser from 'dynalite/db/conditionParser.js';
import db, { type Store } from 'dynalite/db/index.js';
import projectionParser from 'dynalite/db/projectionParser.js';
import updateParser from 'dynalite/db/updateParser.js';
import batchGetItemRules from 'dynalite/validations/batchGetItem.js';
import batchWriteItemRules from 'dynalite/validations/batchWriteItem.js';
import deleteItemRules from 'dynalite/validations/deleteItem.js';
import getItemRules from 'dynalite/validations/getItem.js';
import validations from 'dynalite/validations/index.js';
import putItemRules from 'dynalite/validations/putItem.js';
import queryRules from 'dynalite/validations/query.js';
import scanRules from 'dynalite/validations/scan.js';
import updateItemRules from 'dynalite/validations/updateItem.js';
import { ServiceError } from '../../control/json-protocol.ts';
import { cachedParser } from './expression-cache.ts';
import { correctExpressions } from './parsed-expressions.ts';
import { queryTable } from './query-table.ts';

// dynalite calls these functions through their modules.
db.queryTable = queryTable;
for (const parser of [conditionParser, projectionParser, updateParser]) parser.parse = cachedParser(parser.parse);

const actions = {
  BatchGetItem: { run: batchGetItem, rules: batchGetItemRules },
  BatchWriteItem: { run: batchWriteItem, rules: batchWriteItemRules },
  DeleteItem: { run: deleteItem, rules: deleteItemRules },
  GetItem: { run: getItem, rules: getItemRules },
  PutItem: { run: putItem, rules: putItemRules },
  Query: { run: query, rules: queryRules },
  Scan: { run: scan, rules: scanRules },
  UpdateItem: { run: updateItem, rules: updateItemRules },
};
export type ActionName = keyof typeof actions;
export type Input = Record<string, unknown>;

/**
 * Validates a request and parses its expressions, as dynalite does.
 * @throws SerializationException, ValidationException
 */
export function checkInput(name: ActionName, input: Input, store: Store): Input {
  const { rules } = actions[name];
  // The check removes unknown members in place, and callers still need theirs.
  const data = validations.checkTypes({ ...input }, rules.types);
  requireIntegers(data, rules.types);
  validations.checkValidations(data, rules.types, rules.custom, store);
  correctExpressions(data);
  return data;
}

/** An integer of AWS has 32 bits; dynalite accepts larger ones. */
function requireIntegers(data: Input, types: Readonly<Record<string, { type?: string }>>): void {
  for (const [name, value] of Object.entries(data)) {
    if (types[name]?.type === 'Integer' && value !== (Number(value) | 0)) {
      throw new ServiceError('com.amazon.coral.service#SerializationException', `${name} is not a 32-bit integer.`);
    }
  }
}

/** Runs a dynalite action on validated input. */
export function runAction(name: ActionName, data: Input, store: Store) {
  return new Promise<Input>((resolve, reject) => {
    actions[name].run(store, data, (error, output) => (error ? reject(error) : resolve(output ?? {})));
  });
}
