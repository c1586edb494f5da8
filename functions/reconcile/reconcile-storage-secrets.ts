import { type DrainLimits, drain } from '../common/drain.ts';
import { removeHiddenStorage } from '../storages/remove-storages.ts';
import { removeSecrets } from '../storages/storage-secret.ts';
import { dueSecretChecks, endSecretCheck, type SecretCheck } from '../table/storages/secret-checks.ts';
import { findStorageToRemove } from '../table/storages/storage-table.ts';

/**
 * Deletes the secrets that no storage has: the call that stored or replaced one has died, or the one that deleted the
 * storage. Returns how many.
 */
export async function reconcileStorageSecrets(limits: DrainLimits): Promise<number> {
  let removed = 0;
  await drain(
    dueSecretChecks(),
    async (check) => {
      removed += await removeUnused(check);
      await endSecretCheck(check);
    },
    limits,
  );
  return removed;
}

async function removeUnused({ ulid, ownerUlid, version }: SecretCheck): Promise<number> {
  const storage = await findStorageToRemove(ownerUlid, ulid);
  const isDeleted = storage?.deletedAt !== undefined;
  const removed = isDeleted ? await removeHiddenStorage(storage) : 0;
  if (!isDeleted && storage?.secretVersion === version) return 0;
  return removed + (await removeSecrets({ ulid }, version, version));
}
