import * as z from 'zod';
import { timestamp } from '../../../shared/clock.ts';
import { Conflict } from '../../common/errors.ts';
import { chosen } from '../../common/keyed-request.ts';
import { pluralize } from '../../common/pluralize.ts';
import { idItem } from '../items/id-items.ts';
import { ConditionFailed, getItem, getItems, queryIndex, takeIds, transact } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import type { User } from '../records.ts';
import { findUlid } from '../videos/find-by-id.ts';
import { sshKeyActivity } from '../writes/activity-writes.ts';

const sshKeyRecord = z.object({
  ulid: z.string().length(26),
  id: z.int(),
  name: z.string(),
  /** `type base64 comment`, one line */
  publicKey: z.string(),
  fingerprint: z.string(),
  createdAt: z.string(),
  /** set while its private key is being deleted: requests do not find the key any more */
  deletedAt: z.string().optional(),
});
export type SshKey = z.infer<typeof sshKeyRecord>;

const countsRecord = z.object({ nodes: z.number() });

/** A key that a node can use, by its id. */
export const findSshKey = async (idOrUlid: string): Promise<SshKey | undefined> => {
  const key = await findSshKeyToRemove(idOrUlid);
  return key?.deletedAt === undefined ? key : undefined;
};

/** The key for deletion, also one whose deletion was started and not finished. */
export async function findSshKeyToRemove(idOrUlid: string): Promise<SshKey | undefined> {
  const ulid = await findUlid('ssh-key', idOrUlid);
  return ulid === undefined ? undefined : getItem(sshKeyRecord, keys.sshKey(ulid));
}

/** All keys in order of their ids. */
export async function listSshKeys(): Promise<SshKey[]> {
  const found = await getItems(await queryIndex('byOwner', owned('all', 'ssh-key', '').ownerKey));
  return found
    .map((item) => sshKeyRecord.parse(item))
    .filter(({ deletedAt }) => deletedAt === undefined)
    .toSorted((a, b) => a.id - b.id);
}

/** How many nodes use each of the keys, in their order. */
export async function countNodesOf(sshKeys: readonly SshKey[]): Promise<number[]> {
  const found = await getItems(sshKeys.map(({ ulid }) => keys.sshKeyCounts(ulid)));
  const counts = new Map(found.map((item) => [item.pk, countsRecord.parse(item).nodes]));
  return sshKeys.map(({ ulid }) => counts.get(keys.sshKeyCounts(ulid).pk) ?? 0);
}

/** Registers a key whose private key is stored under its ULID. */
export async function createSshKey(
  properties: Pick<SshKey, 'ulid' | 'name' | 'publicKey' | 'fingerprint'>,
  actor: User,
): Promise<SshKey> {
  const key: SshKey = {
    ...properties,
    id: await takeIds(keys.counter('ssh-key')),
    createdAt: chosen('time', timestamp),
  };
  await transact([
    { put: { ...keys.sshKey(key.ulid), ...owned('all', 'ssh-key', key.ulid), kind: 'ssh-key', ...key } },
    { put: { ...keys.sshKeyCounts(key.ulid), kind: 'counts', nodes: 0 } },
    { put: idItem('ssh-key', key.id, key.ulid) },
    sshKeyActivity(actor, key, 'created', `Stored SSH key ${key.name}`, shownProperties(key)),
  ]);
  return key;
}

/**
 * Marks a key as deleted.
 * @throws Conflict while a node uses it
 */
export async function hideSshKey(key: SshKey, actor: User): Promise<void> {
  if (key.deletedAt !== undefined) return;
  try {
    await transact([
      { delete: keys.sshKeyCounts(key.ulid), when: { below: { nodes: 1 } } },
      { update: keys.sshKey(key.ulid), set: { deletedAt: timestamp() }, when: { exists: true } },
      sshKeyActivity(actor, key, 'deleted', `Deleted SSH key ${key.name}`, shownProperties(key)),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const [nodes = 0] = await countNodesOf([key]);
    // Otherwise a concurrent call has deleted it.
    if (nodes > 0) throw new Conflict('ssh_key_in_use', `The SSH key is used by ${pluralize(nodes, 'node')}.`);
  }
}

/** Deletes the items of a hidden key, after its private key is deleted. */
export const removeSshKey = (key: SshKey): Promise<void> =>
  transact([{ delete: keys.sshKey(key.ulid) }, { delete: keys.id('ssh-key', key.id) }]);

const shownProperties = ({ name, fingerprint }: SshKey) => ({ name, fingerprint });
