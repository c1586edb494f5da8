import * as z from 'zod';
import { now, timestamp } from '../../../shared/clock.ts';
import { Conflict } from '../../common/errors.ts';
import { equalSecrets, randomBase62, sha256 } from '../../common/secret.ts';
import {
  ConditionFailed,
  getItem,
  getItems,
  queryIndex,
  takeIds,
  transact,
  write,
  writeBatch,
} from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import type { User } from '../records.ts';
import { parseIntegerId } from '../videos/find-by-id.ts';
import { tokenActivity } from '../writes/activity-writes.ts';
import { readCredential } from './read-credential.ts';

export const maxTokensPerUser = 100;

const tokenRecord = z.object({
  id: z.int(),
  ownerUlid: z.string(),
  name: z.string(),
  /** of the secret part; the secret itself is shown once and kept nowhere */
  sha256: z.string(),
  lastUsedAt: z.string().nullable(),
  createdAt: z.string(),
});
export type Token = z.infer<typeof tokenRecord>;

/**
 * Makes a token and returns its text `<id>|<secret>`, which can be had only now.
 * @throws Conflict when the user has 100
 */
export async function createToken(ownerUlid: string, name: string): Promise<string> {
  const id = await takeIds(keys.counter('token'));
  const secret = randomBase62(40);
  const token: Token = { id, ownerUlid, name, sha256: sha256(secret), lastUsedAt: null, createdAt: timestamp() };
  try {
    await transact([
      {
        update: keys.userCounts(ownerUlid),
        add: { tokens: 1 },
        when: { below: { tokens: maxTokensPerUser } },
      },
      { put: { ...keys.token(id), kind: 'token', ...token, ...owned(ownerUlid, 'token', sortOf(id)) } },
      tokenActivity({ ulid: ownerUlid }, { id }, 'created', `Created token ${name}`, { name }),
    ]);
  } catch (error) {
    if (error instanceof ConditionFailed)
      throw new Conflict('token_limit', `A user has at most ${maxTokensPerUser} tokens.`);
    throw error;
  }
  return `${id}|${secret}`;
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

/** Notes the use of a token, at most once a minute. */
export async function markTokenUsed(token: Token): Promise<void> {
  if (token.lastUsedAt !== null && token.lastUsedAt > timestamp(now() - 60_000)) return;
  try {
    await write({ update: keys.token(token.id), set: { lastUsedAt: timestamp() }, when: { exists: true } });
  } catch (error) {
    // revoked after it was read
    if (!(error instanceof ConditionFailed)) throw error;
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
  try {
    await transact([
      { delete: keys.token(id), when: { exists: true } },
      { update: keys.userCounts(ownerUlid), add: { tokens: -1 } },
      tokenActivity({ ulid: ownerUlid }, { id }, 'deleted', `Deleted token ${name}`, { name }),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Revokes all tokens of a user who is being deleted. */
export async function deleteTokens(ownerUlid: string): Promise<void> {
  const found = await queryIndex('byOwner', owned(ownerUlid, 'token', '').ownerKey);
  await writeBatch(found.map(({ pk, sk }) => ({ delete: { pk, sk } })));
}

const sortOf = (id: number): string => String(id).padStart(16, '0');
