import * as z from 'zod';
import { nowSeconds, timestamp } from '../../../shared/clock.ts';
import { randomBase62, sha256 } from '../../common/secret.ts';
import { ConditionFailed, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { User } from '../records.ts';
import { readCredential } from './read-credential.ts';

export const sessionSeconds = 120 * 60;
const confirmedSeconds = 15 * 60;

const sessionRecord = z.object({
  userUlid: z.string(),
  /** of the password and the session generation that the user had when it began: a session does not outlive them */
  credentialMark: z.string(),
  /** seconds since 1970; DynamoDB removes the item some time later */
  expiresAt: z.number(),
  /** when the user gave the password last, in seconds since 1970 */
  confirmedAt: z.number().default(0),
});
export type Session = z.infer<typeof sessionRecord> & { secret: string };

/** A new session of 120 minutes; the secret that the cookie carries is stored as its SHA-256 only. */
export async function openSession(user: User): Promise<Session> {
  const secret = randomBase62(40);
  const session = {
    userUlid: user.ulid,
    credentialMark: credentialMark(user),
    expiresAt: nowSeconds() + sessionSeconds,
    confirmedAt: nowSeconds(),
  };
  await write({ put: { ...keys.session(sha256(secret)), kind: 'session', createdAt: timestamp(), ...session } });
  return { ...session, secret };
}

/** The session of a secret. `user` is its user, if it was read together with the session. */
export async function findSession(secret: string): Promise<{ session?: Session; user?: User }> {
  const key = keys.session(sha256(secret));
  const { record, user } = await readCredential(sessionRecord, key, ({ userUlid }) => userUlid);
  if (!record || record.expiresAt <= nowSeconds()) return {};
  return { session: { ...record, secret }, ...(user && { user }) };
}

/** False after a change of the user's password, and after the user has signed out everywhere. */
export const isAccepted = (session: Session, user: User): boolean => session.credentialMark === credentialMark(user);

/** Extends a session to 120 minutes from now. False when it was extended less than a minute ago, or has ended. */
export async function extendSession(session: Session): Promise<boolean> {
  const expiresAt = nowSeconds() + sessionSeconds;
  if (expiresAt - session.expiresAt < 60) return false;
  return changeSession(session.secret, { expiresAt });
}

/** Whether the user has given the password within the last 15 minutes. */
export const isConfirmed = ({ confirmedAt }: Session): boolean => confirmedAt > nowSeconds() - confirmedSeconds;

/** Notes that the user has given the password. False when the session has ended. */
export const confirmSession = ({ secret }: Session): Promise<boolean> =>
  changeSession(secret, { confirmedAt: nowSeconds() });

/** Keeps this session alive through a change of its user's password, which confirms it; all others end by it. */
export const keepSession = (session: Session, user: User): Promise<boolean> =>
  changeSession(session.secret, { credentialMark: credentialMark(user), confirmedAt: nowSeconds() });

export async function endSession(secret: string): Promise<void> {
  await write({ delete: keys.session(sha256(secret)) });
}

async function changeSession(secret: string, set: Record<string, unknown>): Promise<boolean> {
  try {
    // Without the condition an update would bring back a session that a logout has just ended.
    await write({ update: keys.session(sha256(secret)), set, when: { exists: true } });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

const credentialMark = ({ passwordHash, sessionGeneration }: User): string =>
  sha256(`${passwordHash} ${sessionGeneration}`).slice(0, 16);
