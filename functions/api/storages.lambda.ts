import { ConcurrentChange } from '../common/errors.ts';
import { parseUlid } from '../common/ids.ts';
import { storageRoutes } from '../contracts/routes/storage-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { serializeStorage } from '../serializers/serialize-storage.ts';
import { checkedStorage } from '../storages/checked-storage.ts';
import { removeHiddenStorage } from '../storages/remove-storages.ts';
import { removeSecrets, storeSecret } from '../storages/storage-secret.ts';
import { testStorage } from '../storages/test-storage.ts';
import type { User } from '../table/records.ts';
import { hideStorage } from '../table/storages/storage-removal.ts';
import {
  createStorage,
  findStorage,
  findStorageToRemove,
  listStorages,
  recordFirstSecret,
  recordRemoval,
  reserveVersion,
  type Storage,
  updateStorage,
} from '../table/storages/storage-table.ts';

type Named = { params: { ulid: string }; user: User };

const findNamed = async ({ params, user }: Named): Promise<Storage | undefined> => {
  const ulid = parseUlid(params.ulid);
  return ulid === undefined ? undefined : findStorage(user.ulid, ulid);
};

const list = route(storageRoutes.list, async ({ user }) => ({
  data: (await listStorages(user.ulid)).map(serializeStorage),
}));

// The secret is stored after the record, so that there is never one that nothing names. If the call dies between the
// two, the storage says that it has no secret.
const create = route(storageRoutes.create, async ({ body, user }) => {
  const { fields, secret } = checkedStorage(body);
  const storage = await createStorage(fields, user);
  if (secret === undefined) return { data: serializeStorage(storage) };
  await storeSecret({ ...storage, version: 1 }, secret);
  const present = await recordFirstSecret(storage);
  // A call that deleted the storage, or gave it another secret, did not find this one.
  if (present?.secretVersion !== 1) await removeSecrets(storage, 1, 1);
  if (!present) throw new ConcurrentChange('storage');
  return { data: serializeStorage(present) };
});

const get = recordRoute(storageRoutes.get, findNamed, async ({ found }) => ({ data: serializeStorage(found) }));

const update = recordRoute(storageRoutes.update, findNamed, async ({ found, body, user }) => {
  const { fields, secret } = checkedStorage(body, found);
  const secretVersion = await versionOf(found, fields.accessKeyId, secret);
  try {
    const changed = await updateStorage(found, { ...fields, secretVersion }, user);
    if (secretVersion !== found.secretVersion) await removeEarlierSecrets(changed);
    return { data: serializeStorage(changed) };
  } catch (error) {
    // Another call was faster.
    if (secret !== undefined) await removeSecrets(found, secretVersion, secretVersion);
    throw error;
  }
});

/** The version of the secret after a change; that of a new one, which is stored. */
async function versionOf(storage: Storage, accessKeyId: string | null, secret: string | undefined): Promise<number> {
  if (secret === undefined) return accessKeyId === null ? 0 : storage.secretVersion;
  const version = await reserveVersion(storage);
  await storeSecret({ ...storage, version }, secret);
  return version;
}

/** Also those of earlier calls that have died. Reconcile does it when this one dies. */
async function removeEarlierSecrets(storage: Storage): Promise<void> {
  const { secretVersion, oldestVersion, reservedVersion } = storage;
  const keptFrom = secretVersion === 0 ? reservedVersion + 1 : secretVersion;
  await removeSecrets(storage, oldestVersion, keptFrom - 1);
  await recordRemoval(storage, keptFrom);
}

// Idempotent: the record is deleted last, so a second call finishes an interrupted removal.
const remove = recordRoute(
  storageRoutes.remove,
  async ({ params, user }: Named) => {
    const ulid = parseUlid(params.ulid);
    return ulid === undefined ? undefined : findStorageToRemove(user.ulid, ulid);
  },
  async ({ found, user }) => {
    await hideStorage(found, user);
    await removeHiddenStorage(found);
  },
);

const test = recordRoute(storageRoutes.test, findNamed, async ({ found }) => ({ data: await testStorage(found) }));

export const handler = createApiHandler([list, create, get, update, remove, test], { respondOnce });
