import { createHash } from 'node:crypto';
import { ServiceError } from '../../control/json-protocol.ts';
import { type Change, type Database, tokenExpiryPrefix, tokenPrefix } from '../storage/database.ts';
import type { DynamoContext } from '../storage/dynamodb-context.ts';

/** The time for which a client token makes a transaction idempotent. */
const TOKEN_LIFE_MS = 10 * 60 * 1000;

type TokenRecord = { digest: string; expiresAtMs: number };

/**
 * Whether a transaction with this token was committed in the last ten minutes.
 * @throws IdempotentParameterMismatchException when it had other parameters
 */
export function findToken({ database, nowMs }: DynamoContext, token: string, parameters: string): boolean {
  const record = database.getSync(tokenPrefix + token) as TokenRecord | undefined;
  if (!record || record.expiresAtMs <= nowMs()) return false;
  if (record.digest === digestOf(parameters)) return true;
  throw new ServiceError(
    'com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException',
    'The request was made with a client token that was used before with different parameters',
  );
}

/** The changes that store a token. Commit them together with its transaction. */
export function tokenChanges({ nowMs }: DynamoContext, token: string, parameters: string): Change[] {
  const expiresAtMs = nowMs() + TOKEN_LIFE_MS;
  const record: TokenRecord = { digest: digestOf(parameters), expiresAtMs };
  return [
    { type: 'put', key: tokenPrefix + token, value: record },
    { type: 'put', key: `${expiryKey(expiresAtMs)}~${token}`, value: token },
  ];
}

/** Removes expired tokens. Needs exclusive access. */
export async function removeExpiredTokens(database: Database, nowMs: number): Promise<void> {
  const over = await database.iterator({ gte: tokenExpiryPrefix, lt: expiryKey(nowMs) }).all();
  await database.batch(
    over.flatMap(([key, token]) => {
      const record = database.getSync(tokenPrefix + token) as TokenRecord | undefined;
      const renewed = record && record.expiresAtMs >= nowMs;
      return [{ type: 'del' as const, key }, ...(renewed ? [] : [{ type: 'del' as const, key: tokenPrefix + token }])];
    }),
  );
}

/** Fixed width, so that keys sort by time. */
function expiryKey(expiresAtMs: number): string {
  return tokenExpiryPrefix + String(expiresAtMs).padStart(15, '0');
}

function digestOf(parameters: string): string {
  return createHash('sha256').update(parameters).digest('base64');
}
