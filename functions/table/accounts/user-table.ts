import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { timestamp } from '../../../shared/clock.ts';
import { ConcurrentChange, Conflict, NotFound, taken, Unauthenticated, unknownRecord } from '../../common/errors.ts';
import { newUlid } from '../../common/ids.ts';
import { chosen } from '../../common/keyed-request.ts';
import { hashPassword } from '../../common/password.ts';
import { pluralize } from '../../common/pluralize.ts';
import { idItem } from '../items/id-items.ts';
import { ConditionFailed, getItem, getItems, queryItems, takeIds, transact, type Write } from '../items/items.ts';
import { type Key, keys, listKey, owned } from '../items/keys.ts';
import { idSort, type ListPart, queryListPart } from '../items/list-parts.ts';
import { countRecords, totalWrite } from '../items/totals.ts';
import { type Quota, type User, userRecord } from '../records.ts';
import { findUlid } from '../videos/find-by-id.ts';
import { deleteTags } from '../videos/tag-table.ts';
import { profileActivity, userActivity } from '../writes/activity-writes.ts';

const storedUser = userRecord.extend({
  /** set while the user's records are being handed over: other requests do not find the user any more */
  deletedAt: z.string().optional(),
});
type StoredUser = z.infer<typeof storedUser>;
const emailRecord = z.object({ userUlid: z.string() });

export async function findUser(ulid: string): Promise<User | undefined> {
  return presentUser(await getItem(storedUser, keys.user(ulid)));
}

/** The user of an item. Undefined without an item, and when the account is deleted. */
export function presentUser(item: unknown): User | undefined {
  const user = item === undefined ? undefined : storedUser.parse(item);
  return user?.deletedAt === undefined ? user : undefined;
}

/** The quota of a user; `known` is a user who was read already. */
export const quotaOf = async (ulid: string, known: User): Promise<Quota | null> =>
  (known.ulid === ulid ? known : await findUser(ulid))?.quota ?? null;

/** The user that a path's {id} names. */
export async function findUserById(idOrUlid: string): Promise<User | undefined> {
  const ulid = await findUlid('user', idOrUlid);
  return ulid === undefined ? undefined : findUser(ulid);
}

/**
 * The user that a field `user_id` names.
 * @throws ValidationFailed when there is none
 */
export async function selectUser(id: number): Promise<User> {
  const user = await findUserById(String(id));
  if (!user) throw unknownRecord('user_id');
  return user;
}

/** `email` in lower case. */
export async function findUserByEmail(email: string): Promise<User | undefined> {
  const found = await getItem(emailRecord, keys.email(email));
  return found && findUser(found.userUlid);
}

/** A user in the list of all. */
export type ListedUser = Key & { id: number };

/** Users in order of their ids, without their records: a page of users reads the records of that page only. */
export async function listUserKeys(part: ListPart): Promise<ListedUser[]> {
  const found = await queryListPart([listKey('all', 'user')], part);
  return found.map(({ pk, sk, ownerSort }) => ({ pk, sk, id: Number(ownerSort) }));
}

export const countUsers = (): Promise<number> => countRecords('user');

/** The users of a part of the list, in its order. Users who do not exist any more are left out. */
export const findUsers = async (listed: ListedUser[]): Promise<User[]> =>
  (await getItems(listed)).flatMap((item) => presentUser(item) ?? []);

type NewUser = Pick<User, 'name' | 'email' | 'isAdmin'> & Partial<Pick<User, 'quota'>>;

/** The user who acts. */
type Actor = Pick<User, 'ulid'>;

/**
 * Creates an account. `by` is `itself` when the user signs up, and undefined when the service creates it.
 * @throws ValidationFailed on `email` when it is taken
 */
export async function createUser(
  { password, ...fields }: NewUser & { password: string },
  by: Actor | 'itself',
): Promise<User> {
  return addUser({ ...fields, email: fields.email.toLowerCase(), passwordHash: await hashPassword(password) }, by);
}

/** Makes an account whose password is hashed already; `email` in lower case. Without `by` it is in no history. */
export async function addUser(fields: NewUser & { passwordHash: string }, by?: Actor | 'itself'): Promise<User> {
  const id = await takeIds(keys.counter('user'));
  const user: User = {
    ulid: newUlid(),
    id,
    quota: null,
    sessionGeneration: 0,
    ...fields,
    createdAt: chosen('time', timestamp),
  };
  await transactWithEmail([
    emailWrite(user),
    {
      put: { ...keys.user(user.ulid), kind: 'user', ...user, ...owned('all', 'user', idSort(id)) },
      when: { exists: false },
    },
    { put: { ...keys.userCounts(user.ulid), kind: 'counts', videos: 0, tokens: 0, openUploads: 0, webhooks: 0 } },
    { put: idItem('user', id, user.ulid) },
    totalWrite('user', 1),
    ...administratorWrites(user.ulid, Number(user.isAdmin)),
    ...(by === 'itself' ? [profileActivity(user, user, 'created', 'Opened the account')] : []),
    ...(by !== undefined && by !== 'itself'
      ? [userActivity(by, user, 'created', `Created user ${user.name}`, shownProperties(user))]
      : []),
  ]);
  return user;
}

/**
 * Updates an account.
 * @throws ValidationFailed on `email` when it is taken, Conflict when the user is the last administrator
 */
export async function updateUser(
  user: User,
  changes: Partial<Pick<User, 'name' | 'email' | 'isAdmin' | 'quota'>>,
  by: Actor,
): Promise<User> {
  const changed = { ...user, ...changes };
  if (isDeepStrictEqual(changed, user)) return user;
  const newEmail = changed.email !== user.email;
  const administrators = Number(changed.isAdmin) - Number(user.isAdmin);
  await transactWithEmail([
    ...(newEmail ? [emailWrite(changed)] : []),
    {
      update: keys.user(user.ulid),
      set: changes,
      // The other writes depend on these values as they were read.
      when: { equals: { email: user.email, isAdmin: user.isAdmin }, absent: ['deletedAt'] },
    },
    ...(newEmail ? [{ delete: keys.email(user.email) }] : []),
    ...administratorWrites(user.ulid, administrators),
    updateActivity(user, changed, by),
  ]);
  return changed;
}

const updateActivity = (user: User, changed: User, by: Actor): Write => {
  const properties = { old: shownProperties(user), attributes: shownProperties(changed) };
  return by.ulid === user.ulid
    ? profileActivity(by, user, 'updated', 'Updated the profile', properties)
    : userActivity(by, user, 'updated', `Updated user ${changed.name}`, properties);
};

const shownProperties = ({ name, email, isAdmin, quota }: User) => ({
  name,
  email,
  is_admin: isAdmin,
  quota: quota && {
    upload_bytes_per_month: quota.uploadBytesPerMonth,
    encoding_cpu_seconds_per_month: quota.encodingCpuSecondsPerMonth,
  },
});

/**
 * Sets a new password; sessions begun under the old one end by it.
 * @throws Unauthenticated when users change their own password and their account is deleted; NotFound when an
 * administrator changes that of another user who is deleted
 */
export async function changePassword(user: User, passwordHash: string, by: Actor = user): Promise<User> {
  const isOwn = by.ulid === user.ulid;
  try {
    await transact([
      { update: keys.user(user.ulid), set: { passwordHash }, when: { absent: ['deletedAt'], exists: true } },
      isOwn
        ? profileActivity(by, user, 'updated', 'Changed the password')
        : userActivity(by, user, 'updated', `Changed the password of user ${user.name}`),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    throw isOwn ? new Unauthenticated() : new NotFound();
  }
  return { ...user, passwordHash };
}

/**
 * Ends all sessions of a user; API tokens stay.
 * @throws Unauthenticated when the account does not exist any more
 */
export async function endAllSessions(user: User): Promise<void> {
  try {
    await transact([
      { update: keys.user(user.ulid), add: { sessionGeneration: 1 }, when: { absent: ['deletedAt'], exists: true } },
      profileActivity(user, user, 'updated', 'Signed out everywhere'),
    ]);
  } catch (error) {
    throw error instanceof ConditionFailed ? new Unauthenticated() : error;
  }
}

/** How many videos a user has, which have to go before the user can. */
export async function countVideos(ownerUlid: string): Promise<number> {
  const counts = await getItem(z.object({ videos: z.number().default(0) }), keys.userCounts(ownerUlid));
  return counts?.videos ?? 0;
}

/** The user for removal, also one whose removal was begun and not finished. */
export async function findUserToRemove(idOrUlid: string): Promise<StoredUser | undefined> {
  const ulid = await findUlid('user', idOrUlid);
  return ulid === undefined ? undefined : getItem(storedUser, keys.user(ulid));
}

/**
 * Marks an account as deleted: it cannot sign in, and its tokens and sessions are invalid. Its records remain.
 * @throws Conflict when it has videos or is the last administrator
 */
export async function hideUser(user: StoredUser, by: Actor): Promise<void> {
  if (user.deletedAt !== undefined) return;
  const videos = await countVideos(user.ulid);
  if (videos > 0) throw new Conflict('user_has_videos', `The user has ${pluralize(videos, 'video')}.`);
  await transactWithEmail([
    { check: keys.userCounts(user.ulid), when: { below: { videos: 1 } } },
    {
      update: keys.user(user.ulid),
      set: { deletedAt: timestamp() },
      remove: ['ownerKey', 'ownerSort'],
      when: { equals: { email: user.email, isAdmin: user.isAdmin }, absent: ['deletedAt'] },
    },
    { delete: keys.email(user.email) },
    totalWrite('user', -1),
    ...administratorWrites(user.ulid, -Number(user.isAdmin)),
    userActivity(by, user, 'deleted', `Deleted user ${user.name}`, shownProperties(user)),
  ]);
}

/** Deletes the records of a hidden account. Usage and activity stay. */
export async function removeUser(user: User): Promise<void> {
  await deleteTags(user.ulid);
  await transact([
    { delete: keys.user(user.ulid) },
    { delete: keys.userCounts(user.ulid) },
    { delete: keys.quotaVersion(user.ulid) },
    { delete: keys.id('user', user.id) },
  ]);
}

const emailWrite = (user: User): Write => ({
  put: { ...keys.email(user.email), kind: 'email', userUlid: user.ulid },
  when: { exists: false },
});

const counterRecord = z.object({ value: z.int().default(0) });

export const countAdministrators = async (): Promise<number> =>
  (await getItem(counterRecord, keys.counter('administrator')))?.value ?? 0;

/** The ULIDs of all administrators. */
export const listAdministrators = async (): Promise<string[]> =>
  (await queryItems(keys.administrator('').pk)).map(({ sk }) => sk);

/**
 * Changes the list and the count of administrators when a user becomes one (1), or is one no longer (-1). The count
 * may never become 0 again.
 */
function administratorWrites(userUlid: string, change: number): Write[] {
  if (change === 0) return [];
  const key = keys.administrator(userUlid);
  return [
    {
      update: keys.counter('administrator'),
      set: { kind: 'counter' },
      add: { value: change },
      ...(change < 0 && { when: { atLeast: { value: 2 } } }),
    },
    change > 0 ? { put: { ...key, kind: 'administrator' } } : { delete: key },
  ];
}

async function transactWithEmail(writes: Write[]): Promise<void> {
  try {
    await transact(writes);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const kinds = error.failed.map((position) => kindOf(writes[position]));
    if (kinds.includes('EMAIL')) throw taken('email');
    if (kinds.includes('COUNTER')) throw new Conflict('last_administrator', 'There has to be one administrator.');
    throw new ConcurrentChange('user');
  }
}

const kindOf = (write: Write | undefined): string | undefined => {
  if (!write || 'sum' in write) return undefined;
  const key =
    'put' in write ? write.put : 'update' in write ? write.update : 'check' in write ? write.check : write.delete;
  return key.sk;
};
