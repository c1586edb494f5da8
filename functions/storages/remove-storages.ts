import { hideStorageOfDeleted, removeStorage } from '../table/storages/storage-removal.ts';
import { findStorageToRemove, listStoragesToRemove, type Storage } from '../table/storages/storage-table.ts';
import { removeSecrets } from './storage-secret.ts';

/** Deletes the secrets of a hidden storage, and then its record. */
export async function removeHiddenStorage({ ownerUlid, ulid }: Storage): Promise<void> {
  // As it is since it was hidden: no call reserves another version. One that stores a version later removes it again.
  const storage = await findStorageToRemove(ownerUlid, ulid);
  if (!storage) return;
  await removeSecrets(storage, storage.oldestVersion, storage.reservedVersion);
  await removeStorage(storage);
}

/** Deletes all storages of a user who is being deleted, with their secrets. Nothing uses them from then on. */
export async function removeStoragesOf(ownerUlid: string): Promise<void> {
  for (const storage of await listStoragesToRemove(ownerUlid)) {
    await hideStorageOfDeleted(storage);
    await removeHiddenStorage(storage);
  }
}
