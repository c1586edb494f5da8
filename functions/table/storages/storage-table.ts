import * as z from 'zod';
import { timestamp } from '../../../shared/clock.ts';
import { ConcurrentChange, Conflict, ValidationFailed } from '../../common/errors.ts';
import { newUlid } from '../../common/ids.ts';
import { chosen } from '../../common/keyed-request.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { ConditionFailed, getItem, getItems, queryIndex, transact } from '../items/items.ts';
import { keys, listKey, owned } from '../items/keys.ts';
import type { User } from '../records.ts';
import { storageActivity } from '../writes/activity-writes.ts';
import type { storageUses } from '../writes/storage-use-writes.ts';
import { secretCheckWrite } from './secret-checks.ts';

export const maxStoragesPerUser = 20;

/** A bucket of a user in an S3-compatible store. Its secret is in Parameter Store. */
const storageRecord = z.object({
  ulid: z.string(),
  ownerUlid: z.string(),
  name: z.string(),
  kind: z.literal('s3'),
  /** origin of the store; null: AWS */
  endpoint: z.string().nullable(),
  region: z.string(),
  bucket: z.string(),
  /** empty, or ends with a slash: the service uses no keys outside of it */
  prefix: z.string(),
  pathStyle: z.boolean(),
  accessKeyId: z.string().nullable(),
  /** assumed instead of an access key */
  roleArn: z.string().nullable(),
  /** what the service names when it assumes the role; set with the first role */
  externalId: z.string().nullable(),
  /** the version of the secret that belongs to the access key; 0: none is stored */
  secretVersion: z.int(),
  /** the highest version that a call may have stored */
  reservedVersion: z.int(),
  /** no version below it is stored any more */
  oldestVersion: z.int(),
  templates: z.int(),
  deliveries: z.int(),
  ingests: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** set while its secret is being deleted, and while templates name a storage of a deleted user */
  deletedAt: z.string().optional(),
});
export type Storage = z.infer<typeof storageRecord>;

export type StorageFields = Pick<
  Storage,
  'name' | 'endpoint' | 'region' | 'bucket' | 'prefix' | 'pathStyle' | 'accessKeyId' | 'roleArn' | 'externalId'
>;

/** A storage that a user has. */
export async function findStorage(ownerUlid: string, ulid: string): Promise<Storage | undefined> {
  const storage = await findStorageToRemove(ownerUlid, ulid);
  return storage?.deletedAt === undefined ? storage : undefined;
}

/** The storage for deletion, also one whose deletion was started and not finished. */
export async function findStorageToRemove(ownerUlid: string, ulid: string): Promise<Storage | undefined> {
  const storage = await getItem(storageRecord, keys.storage(ulid));
  return storage?.ownerUlid === ownerUlid ? storage : undefined;
}

/** A user's storages in order of creation. */
export const listStorages = async (ownerUlid: string): Promise<Storage[]> =>
  (await listStoragesToRemove(ownerUlid)).filter(({ deletedAt }) => deletedAt === undefined);

export async function listStoragesToRemove(ownerUlid: string): Promise<Storage[]> {
  const found = await getItems(await queryIndex('byOwner', listKey(ownerUlid, 'storage')));
  return found.map((item) => storageRecord.parse(item));
}

/**
 * Creates a storage. Its secret is stored afterwards, with version 1, so that none is ever stored without a record.
 * @throws Conflict when the user has as many as allowed
 */
export async function createStorage(fields: StorageFields, owner: User): Promise<Storage> {
  const ulid = newUlid();
  const createdAt = chosen('time', timestamp);
  const storage: Storage = {
    ulid,
    ownerUlid: owner.ulid,
    kind: 's3',
    ...fields,
    secretVersion: 0,
    reservedVersion: fields.accessKeyId === null ? 0 : 1,
    oldestVersion: 1,
    templates: 0,
    deliveries: 0,
    ingests: 0,
    createdAt,
    updatedAt: createdAt,
  };
  const counts = keys.userCounts(owner.ulid);
  // Users who were created before there were storages have no count of them.
  await tryWrite({ update: counts, setIfAbsent: { storages: 0 }, when: { exists: true } });
  try {
    await transact([
      { update: counts, add: { storages: 1 }, when: { below: { storages: maxStoragesPerUser } } },
      { put: { ...keys.storage(ulid), ...owned(owner.ulid, 'storage', ulid), ...storage } },
      storageActivity(owner, storage, 'created', `Added storage ${storage.name}`, shownProperties(storage)),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    throw new Conflict('storage_limit', `A user has at most ${maxStoragesPerUser} storages. Delete one first.`);
  }
  return storage;
}

/**
 * Says that the first secret of a storage is stored. Returns the storage as it is then: with another secret if a later
 * call has stored one. Undefined when the storage was deleted meanwhile.
 */
export async function recordFirstSecret({ ulid, ownerUlid }: Storage): Promise<Storage | undefined> {
  await tryWrite({
    update: keys.storage(ulid),
    set: { secretVersion: 1 },
    when: { equals: { secretVersion: 0, reservedVersion: 1 }, absent: ['deletedAt'] },
  });
  return findStorage(ownerUlid, ulid);
}

/**
 * A version for another secret of a storage, which no other call has.
 * @throws ConcurrentChange when another call has just taken one
 */
export async function reserveVersion({ ulid, reservedVersion }: Storage): Promise<number> {
  const version = reservedVersion + 1;
  const isReserved = await tryWrite({
    update: keys.storage(ulid),
    set: { reservedVersion: version },
    when: { equals: { reservedVersion }, absent: ['deletedAt'] },
  });
  if (!isReserved) throw new ConcurrentChange('storage');
  return version;
}

/** Says that no version below this one is stored any more. */
export const recordRemoval = ({ ulid }: Storage, oldestVersion: number): Promise<boolean> =>
  tryWrite({ update: keys.storage(ulid), set: { oldestVersion }, when: { exists: true, below: { oldestVersion } } });

/**
 * Changes a storage, with the version of a secret that has been stored for it.
 * @throws ConcurrentChange when another call has changed or deleted it
 */
export async function updateStorage(
  storage: Storage,
  fields: StorageFields & Pick<Storage, 'secretVersion'>,
  by: User,
): Promise<Storage> {
  const { ulid, secretVersion, updatedAt } = storage;
  const set = { ...fields, updatedAt: timestamp() };
  const changed = { ...storage, ...set, reservedVersion: Math.max(storage.reservedVersion, fields.secretVersion) };
  const isReplaced = secretVersion > 0 && fields.secretVersion !== secretVersion;
  const isChanged = await tryTransact([
    {
      update: keys.storage(ulid),
      set,
      when: { equals: { secretVersion, updatedAt }, absent: ['deletedAt'] },
    },
    ...(isReplaced ? [secretCheckWrite({ ...storage, version: secretVersion })] : []),
    storageActivity(by, storage, 'updated', `Changed storage ${changed.name}`, {
      old: shownProperties(storage),
      attributes: shownProperties(changed),
      secret_changed: changed.secretVersion !== secretVersion,
    }),
  ]);
  if (!isChanged) throw new ConcurrentChange('storage');
  return changed;
}

const shownProperties = (storage: StorageFields) => ({
  name: storage.name,
  endpoint: storage.endpoint,
  region: storage.region,
  bucket: storage.bucket,
  prefix: storage.prefix,
  role_arn: storage.roleArn,
});

/** How often a storage is used, by what. */
export const usesOf = (storage: Storage): Record<(typeof storageUses)[number], number> => ({
  templates: storage.templates,
  deliveries: storage.deliveries,
  ingests: storage.ingests,
});

export const unknownStorage = (field = 'storage'): ValidationFailed =>
  new ValidationFailed({ [field]: [{ code: 'unknown', message: 'You have no such storage. Add it first.' }] });
