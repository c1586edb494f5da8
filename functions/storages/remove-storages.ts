import { hideStorageOfDeleted, removeStorage } from '../table/storages/storage-removal.ts';
import { findStorageToRemove, listStoragesToRemove, type Storage } from '../table/storages/storage-table.ts';
import { removeSecrets } from './storage-secret.ts';

/** Deletes the secrets of a hidden storage, and then its record. Returns how many secrets there were. */
export async function removeHiddenStorage({ ownerUlid, ulid }: Storage): Promise<number> {
  // As it is since it was hidden: no call reserves another version. One that stores a version later removes it again,
  // and reconcile does when that call dies.
  const storage = await findStorageToRemove(ownerUlid, ulid);
  if (!storage) return 0;
  const removed = await removeSecrets(storage, storage.oldestVersion, storage.reservedVersion);
  await removeStorage(storage);
  return removed;
}

/** Deletes all storages of a user who is being deleted, with their secrets. Nothing uses them from then on. */
export async function removeStoragesOf(ownerUlid: string): Promise<void> {
  for (const storage of await listStoragesToRemove(ownerUlid)) {
    await hideStorageOfDeleted(storage);
    await removeHiddenStorage(storage);
  }
}
