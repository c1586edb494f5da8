import * as z from 'zod';
import { now, timestamp } from '../../../shared/clock.ts';
import { Conflict } from '../../common/errors.ts';
import { log } from '../../common/log.ts';
import { equalSecrets, randomBase62, sha256 } from '../../common/secret.ts';
import { tokenAbilities } from '../../contracts/route-declaration.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { countIndex, getItem, getItems, queryIndex, takeIds, type Write, writeBatch } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import type { User } from '../records.ts';
import { parseIntegerId } from '../videos/find-by-id.ts';
import { tokenActivity } from '../writes/activity-writes.ts';
import { readCredential } from './read-credential.ts';

export const maxTokensPerUser = 100;

/** How long the list still shows a token that has expired. */
const keptExpiredSeconds = 30 * 24 * 3600;

const tokenRecord = z.object({
  id: z.int(),
  ownerUlid: z.string(),
  name: z.string(),
  /** of the secret part; the secret itself is shown once and kept nowhere */
  sha256: z.string(),
  /** `*` for all. Tokens of version 0.1.0 have neither this field nor the next. */
  abilities: z.array(z.enum(tokenAbilities)).default(['*']),
  /** when the token expires; null: never */
  endsAt: z.string().nullable().default(null),
  /** to the hour */
  lastUsedAt: z.string().nullable(),
  createdAt: z.string(),
});
export type Token = z.infer<typeof tokenRecord>;

type NewToken = { name: string } & Partial<Pick<Token, 'abilities' | 'endsAt'>>;

/**
 * Makes a token and returns its text `<id>|<secret>`, which can be had only now.
 * @throws Conflict when the user has 100
 */
export async function createToken(
  ownerUlid: string,
  { name, abilities = ['*'], endsAt = null }: NewToken,
): Promise<string> {
  const id = await takeIds(keys.counter('token'));
  const secret = randomBase62(40);
  const token: Token = {
    id,
    ownerUlid,
    name,
    sha256: sha256(secret),
    abilities,
    endsAt,
    lastUsedAt: null,
    createdAt: timestamp(),
  };
  const shown = { name, abilities, ...(endsAt !== null && { expires_at: endsAt }) };
  const writes: Write[] = [
    {
      update: keys.userCounts(ownerUlid),
      add: { tokens: 1 },
      when: { below: { tokens: maxTokensPerUser } },
    },
    {
      put: {
        ...keys.token(id),
        kind: 'token',
        ...token,
        ...owned(ownerUlid, 'token', sortOf(id)),
        // DynamoDB removes the item some time after.
        ...(endsAt !== null && { expiresAt: Math.ceil(Date.parse(endsAt) / 1000) + keptExpiredSeconds }),
      },
    },
    tokenActivity({ ulid: ownerUlid }, { id }, 'created', `Created token ${name}`, shown),
  ];
  if (await tryTransact(writes)) return `${id}|${secret}`;
  if ((await recountTokens(ownerUlid)) && (await tryTransact(writes))) return `${id}|${secret}`;
  throw new Conflict('token_limit', `A user has at most ${maxTokensPerUser} tokens. Revoke one first.`);
}

const countsRecord = z.object({ tokens: z.int().default(0) });

/**
 * Counts the tokens again, without those that DynamoDB has removed after their end. False when there are as many as
 * were counted, or another call has changed the number.
 */
async function recountTokens(ownerUlid: string): Promise<boolean> {
  const counted = (await getItem(countsRecord, keys.userCounts(ownerUlid)))?.tokens ?? 0;
  const tokens = await countIndex('byOwner', owned(ownerUlid, 'token', '').ownerKey);
  if (tokens >= counted) return false;
  return tryWrite({ update: keys.userCounts(ownerUlid), set: { tokens }, when: { equals: { tokens: counted } } });
}

/**
 * The token that a bearer text `<id>|<secret>` proves. `ownerUlid` is whose token has that id, whether or not the
 * secret is right. `user` is the owner, if it was read together with the token.
 */
export async function checkToken(text: string): Promise<{ token?: Token; user?: User; ownerUlid?: string }> {
  const [, id, secret] = /^([1-9][0-9]{0,15})\|([A-Za-z0-9]{40,64})$/.exec(text) ?? [];
  if (id === undefined || secret === undefined) return {};
  const { record, user } = await readCredential(tokenRecord, keys.token(Number(id)), ({ ownerUlid }) => ownerUlid);
  if (!record) return {};
  const { ownerUlid } = record;
  if (!equalSecrets(record.sha256, sha256(secret))) return { ownerUlid };
  return { ownerUlid, token: record, ...(user && { user }) };
}

/** Whether the end of a token has come. */
export const isExpired = (token: Token): token is Token & { endsAt: string } =>
  token.endsAt !== null && token.endsAt <= timestamp();

const hourMilliseconds = 3600 * 1000;

/** Notes the hour in which a token is used, once. Requests do not depend on it: a failure is only logged. */
export async function markTokenUsed({ id, lastUsedAt }: Token): Promise<void> {
  const hour = timestamp(now() - (now() % hourMilliseconds));
  if (lastUsedAt !== null && lastUsedAt >= hour) return;
  try {
    // Not when another request was faster, nor when the token was revoked after it was read.
    await tryWrite({ update: keys.token(id), set: { lastUsedAt: hour }, when: { equals: { lastUsedAt } } });
  } catch (error) {
    log.warn('could not note the use of a token', { tokenId: id, error: error as Error });
  }
}

/** A user's token by the {id} of a path. */
export async function findToken(ownerUlid: string, idText: string): Promise<Token | undefined> {
  const id = parseIntegerId(idText);
  const token = id === undefined ? undefined : await getItem(tokenRecord, keys.token(id));
  return token?.ownerUlid === ownerUlid ? token : undefined;
}

/** A user's tokens, newest first. */
export async function listTokens(ownerUlid: string): Promise<Token[]> {
  const found = await queryIndex('byOwner', owned(ownerUlid, 'token', '').ownerKey, { descending: true });
  return (await getItems(found)).map((item) => tokenRecord.parse(item));
}

/** Revokes a token; a second time does nothing. */
export async function deleteToken({ id, ownerUlid, name }: Token): Promise<void> {
  await tryTransact([
    { delete: keys.token(id), when: { exists: true } },
    { update: keys.userCounts(ownerUlid), add: { tokens: -1 } },
    tokenActivity({ ulid: ownerUlid }, { id }, 'deleted', `Deleted token ${name}`, { name }),
  ]);
}

/** Revokes all tokens of a user who is being deleted. */
export async function deleteTokens(ownerUlid: string): Promise<void> {
  const found = await queryIndex('byOwner', owned(ownerUlid, 'token', '').ownerKey);
  await writeBatch(found.map(({ pk, sk }) => ({ delete: { pk, sk } })));
}

const sortOf = (id: number): string => String(id).padStart(16, '0');
