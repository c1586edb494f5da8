import { ServiceError } from '../../control/json-protocol.ts';
import { actions, db, parsers, type Store, validations } from '../dynalite/dynalite.ts';
import { cachedParser } from './expression-cache.ts';
import { correctExpressions } from './parsed-expressions.ts';
import { queryTable } from './query-table.ts';

// dynalite calls these functions through their modules.
db.queryTable = queryTable;
for (const parser of Object.values(parsers)) parser.parse = cachedParser(parser.parse);

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
