import { timestamp } from '../../../shared/clock.ts';
import { Conflict } from '../../common/errors.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { ConditionFailed, transact, type Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { User } from '../records.ts';
import { storageActivity } from '../writes/activity-writes.ts';
import { isUnused, usedBy } from '../writes/storage-use-writes.ts';
import { secretCheckWrite } from './secret-checks.ts';
import { findStorage, type Storage } from './storage-table.ts';

/**
 * Marks a storage as deleted: requests do not find it any more.
 * @throws Conflict while something uses it
 */
export async function hideStorage(storage: Storage, by: User): Promise<void> {
  if (storage.deletedAt !== undefined) return;
  const { ulid, ownerUlid, name } = storage;
  try {
    await transact([
      { update: keys.storage(ulid), set: { deletedAt: timestamp() }, when: { ...isUnused, absent: ['deletedAt'] } },
      { update: keys.userCounts(ownerUlid), add: { storages: -1 }, when: { exists: true } },
      removalCheck(storage),
      storageActivity(by, storage, 'deleted', `Deleted storage ${name}`, { name }),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const known = await findStorage(ownerUlid, ulid);
    // Otherwise another request deleted it a moment ago, which is as good.
    if (known) throw new Conflict('storage_in_use', `The storage is used by ${usedBy(known)}.`);
  }
}

/** Marks a storage of a user who is being deleted. Templates may go on naming it. */
export const hideStorageOfDeleted = (storage: Storage): Promise<boolean> =>
  tryTransact([
    {
      update: keys.storage(storage.ulid),
      set: { deletedAt: timestamp() },
      when: { absent: ['deletedAt'], exists: true },
    },
    removalCheck(storage),
  ]);

/** Has reconcile finish a removal that dies. */
const removalCheck = (storage: Storage): Write => secretCheckWrite({ ...storage, version: storage.secretVersion });

/** Deletes a hidden storage whose secret is deleted, or leaves it in no list while something names it. */
export async function removeStorage({ ulid }: Pick<Storage, 'ulid'>): Promise<void> {
  if (await tryWrite({ delete: keys.storage(ulid), when: isUnused })) return;
  await tryWrite({ update: keys.storage(ulid), remove: ['ownerKey', 'ownerSort'], when: { exists: true } });
}

/** Deletes a storage of a deleted user that nothing names any more. For callers that have ended a use. */
export const forgetUnusedStorage = (ulid: string): Promise<boolean> =>
  tryWrite({ delete: keys.storage(ulid), when: { ...isUnused, atLeast: { deletedAt: '' }, absent: ['ownerKey'] } });
