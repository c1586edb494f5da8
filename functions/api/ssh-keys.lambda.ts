import { newUlid } from '../common/ids.ts';
import { sshKeyRoutes } from '../contracts/routes/ssh-key-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { readKeyPair } from '../nodes/ssh-keys/key-pair.ts';
import { removePrivateKey, storePrivateKey } from '../nodes/ssh-keys/private-keys.ts';
import { serializeSshKey } from '../serializers/serialize-ssh-key.ts';
import {
  countNodesOf,
  createSshKey,
  findSshKey,
  findSshKeyToRemove,
  hideSshKey,
  listSshKeys,
  removeSshKey,
  type SshKey,
} from '../table/nodes/ssh-key-table.ts';

async function withNodeCounts(sshKeys: SshKey[]) {
  const counts = await countNodesOf(sshKeys);
  return sshKeys.map((key, index) => serializeSshKey(key, counts[index] ?? 0));
}

const list = route(sshKeyRoutes.list, async () => ({ data: await withNodeCounts(await listSshKeys()) }));

// The private key is stored first, so that every listed key can be used. If the call dies between the two writes, an
// encrypted private key without a record remains.
const create = route(sshKeyRoutes.create, async ({ body, user }) => {
  const { publicKey, privateKey, fingerprint } = readKeyPair(body.public_key, body.private_key);
  const ulid = newUlid();
  await storePrivateKey(ulid, privateKey);
  return { data: serializeSshKey(await createSshKey({ ulid, name: body.name, publicKey, fingerprint }, user), 0) };
});

const get = recordRoute(
  sshKeyRoutes.get,
  ({ params }) => findSshKey(params.id),
  async ({ found }) => ({ data: serializeSshKey(found, (await countNodesOf([found]))[0] ?? 0) }),
);

// Idempotent: the record is deleted last, so a second call finishes an interrupted removal.
const remove = recordRoute(
  sshKeyRoutes.remove,
  ({ params }) => findSshKeyToRemove(params.id),
  async ({ found, user }) => {
    await hideSshKey(found, user);
    await removePrivateKey(found.ulid);
    await removeSshKey(found);
  },
);

export const handler = createApiHandler([list, create, get, remove], { respondOnce });
