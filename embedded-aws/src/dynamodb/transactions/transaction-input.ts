import { db } from '../dynalite/dynalite.ts';
import type { Input } from '../items/dynalite-actions.ts';

const MAX_ITEMS = 100;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_TOKEN_LENGTH = 36;

/** Validates `TransactItems` and returns each item with its kind. @throws ValidationException */
export function checkTransaction(input: Input, kinds: string[]): { kind: string; item: Input }[] {
  const { TransactItems: items, ClientRequestToken: token } = input;
  if (!Array.isArray(items)) throw constraint('null', 'transactItems', 'Member must not be null');
  if (items.length < 1) {
    throw constraint("'[]'", 'transactItems', 'Member must have length greater than or equal to 1');
  }
  if (items.length > MAX_ITEMS) {
    throw constraint(
      `'${items.length} items'`,
      'transactItems',
      `Member must have length less than or equal to ${MAX_ITEMS}`,
    );
  }
  if (token != null && (typeof token !== 'string' || token.length < 1 || token.length > MAX_TOKEN_LENGTH)) {
    throw constraint(`'${token}'`, 'clientRequestToken', `Member must have length from 1 to ${MAX_TOKEN_LENGTH}`);
  }
  return items.map((member) => {
    const entries = Object.entries(member ?? {}).filter(([, item]) => item != null);
    const [kind, item] = entries[0] ?? [];
    if (entries.length !== 1 || !kind || !kinds.includes(kind) || typeof item !== 'object') {
      throw db.validationError(`TransactItems must each contain exactly one of ${kinds.join(', ')}`);
    }
    return { kind, item: item as Input };
  });
}

/** @throws ValidationException when two parts of a transaction are for the same item */
export function requireDifferent(itemNames: readonly string[]): void {
  if (new Set(itemNames).size < itemNames.length) {
    throw db.validationError('Transaction request cannot include multiple operations on one item');
  }
}

/** @throws ValidationException when the items of a transaction exceed its limit together */
export function requireSize(itemSizes: readonly number[]): void {
  if (itemSizes.reduce((sum, bytes) => sum + bytes, 0) > MAX_BYTES) {
    throw db.validationError(`Transaction request cannot be larger than ${MAX_BYTES} bytes`);
  }
}

function constraint(value: string, member: string, rule: string) {
  return db.validationError(
    `1 validation error detected: Value ${value} at '${member}' failed to satisfy constraint: ${rule}`,
  );
}
