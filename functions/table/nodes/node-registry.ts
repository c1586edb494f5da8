import { timestamp } from '../../../shared/clock.ts';
import { ConcurrentChange, taken, unknownRecord } from '../../common/errors.ts';
import { newUlid } from '../../common/ids.ts';
import { chosen } from '../../common/keyed-request.ts';
import { idItem } from '../items/id-items.ts';
import { ConditionFailed, queryItems, takeIds, transact, type Write, write, writeBatch } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { totalWrite } from '../items/totals.ts';
import type { User } from '../records.ts';
import { nodeActivity } from '../writes/activity-writes.ts';
import { sshKeyUseWrite } from '../writes/ssh-key-use-writes.ts';
import { checkNow, type Node, nodeItem } from './node-table.ts';
import { changingProxies } from './proxy-cache.ts';

type NodeSettings = Pick<Node, 'name' | 'ipAddress' | 'user' | 'hostname' | 'cdnMode' | 'workers'>;
type Deployed = Pick<Node, 'deployedHostname' | 'outdated'>;
type KeyName = Node['sshKey'];

/** The state of a server that no step has run on. */
const unknownServer = {
  status: 'pending',
  lastError: null,
  lastSeenAt: null,
  hostKey: null,
  deployedHostname: null,
  succeeded: [],
  outdated: [],
  verified: false,
  activeSince: null,
  misses: 0,
} as const;

/**
 * Registers a server. Nothing is run on it.
 * @throws ValidationFailed when a node of the type has the address, or the key is deleted
 */
export async function createNode(
  settings: NodeSettings & { type: Node['type']; sshKey: KeyName },
  actor: User,
): Promise<Node> {
  const now = chosen('time', timestamp);
  const node: Node = {
    ulid: newUlid(),
    id: await takeIds(keys.counter('node')),
    ...settings,
    ...unknownServer,
    succeeded: [],
    outdated: [],
    scheme: 'https',
    drainUntil: null,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  await transactNode([
    { put: nodeItem(node), when: { exists: false } },
    { put: idItem('node', node.id, node.ulid) },
    totalWrite('node', 1),
    addressWrite(node),
    sshKeyUseWrite(settings.sshKey.ulid, 1),
    nodeActivity(actor, node, 'created', `Registered node ${node.name}`, {
      type: node.type,
      ip_address: node.ipAddress,
    }),
  ]);
  return node;
}

/**
 * Changes what is known of a server. Another address, user or key is another server: it starts from nothing. `deployed`
 * says what another host name changes for a server that stays.
 * @throws ValidationFailed as createNode does, Conflict when the node changed after it was read
 */
export async function updateNode(
  node: Node,
  { deployed, ...settings }: NodeSettings & { sshKey: KeyName; deployed: Deployed },
  actor: User,
): Promise<Node> {
  const moved = settings.ipAddress !== node.ipAddress;
  const otherKey = settings.sshKey.ulid !== node.sshKey.ulid;
  const other = moved || otherKey || settings.user !== node.user;
  const { tokenHash, speed, ...kept } = node;
  const changed: Node = {
    ...(other ? { ...kept, ...unknownServer, succeeded: [], outdated: [] } : { ...node, ...deployed }),
    ...settings,
    revision: node.revision + 1,
    updatedAt: timestamp(),
  };
  // Calls of workers write these without a new revision.
  const { lastSeenAt: _, speed: __, counted: ___, ...set } = changed;
  await transactNode([
    {
      update: keys.node(node.ulid),
      set: { ...set, ...checkNow(node), ...(other && { lastSeenAt: null }) },
      remove: other ? ['tokenHash', 'speed'] : [],
      when: { equals: { revision: node.revision }, absent: ['deletedAt'] },
    },
    ...(moved ? [addressWrite(changed), { delete: keys.nodeAddress(node.type, node.ipAddress) }] : []),
    ...(otherKey ? [sshKeyUseWrite(settings.sshKey.ulid, 1), sshKeyUseWrite(node.sshKey.ulid, -1)] : []),
    nodeActivity(actor, changed, 'updated', `Updated node ${changed.name}`, {
      old: shownProperties(node),
      attributes: shownProperties(changed),
    }),
  ]);
  if (other) await forgetSteps(node.ulid);
  return changed;
}

/**
 * Takes a node out of the service: its token, its address and its use of the key end. What its workers hold comes back
 * to the queue when the leases run out, within a minute. Done twice it is done once.
 */
export async function hideNode(node: Node, actor?: User): Promise<void> {
  try {
    await changingProxies(
      transact([
        {
          update: keys.node(node.ulid),
          set: { deletedAt: timestamp(), status: 'deleting', ...checkNow(node) },
          add: { revision: 1 },
          remove: ['tokenHash', 'work', 'ownerKey', 'ownerSort'],
          when: { exists: true, absent: ['deletedAt'] },
        },
        { delete: keys.id('node', node.id) },
        totalWrite('node', -1),
        { delete: keys.nodeAddress(node.type, node.ipAddress) },
        sshKeyUseWrite(node.sshKey.ulid, -1),
        ...(actor ? [nodeActivity(actor, node, 'deleted', `Deleted node ${node.name}`, { forced: true })] : []),
      ]),
    );
  } catch (error) {
    // Position 0 is the node itself: it is deleted already. Any other failed condition is a fault.
    if (!(error instanceof ConditionFailed && error.failed.includes(0))) throw error;
  }
}

/** Deletes the items of a deleted node. The item by which it is found is the last one. */
export async function removeNode(ulid: string): Promise<void> {
  await forgetSteps(ulid);
  await write({ delete: keys.node(ulid) });
}

async function forgetSteps(ulid: string): Promise<void> {
  const { pk, sk } = keys.nodeStep(ulid, '');
  await writeBatch((await queryItems(pk, sk)).map((item) => ({ delete: { pk: item.pk, sk: item.sk } })));
}

const shownProperties = ({ name, ipAddress, user, sshKey, hostname, cdnMode, workers }: Node) => ({
  name,
  ip_address: ipAddress,
  user,
  ssh_key_id: sshKey.id,
  hostname,
  cdn_mode: cdnMode,
  workers,
});

const addressWrite = (node: Node): Write => ({
  put: { ...keys.nodeAddress(node.type, node.ipAddress), kind: 'address', ulid: node.ulid },
  when: { exists: false },
});

async function transactNode(writes: Write[]): Promise<void> {
  try {
    await changingProxies(transact(writes));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const failed = error.failed.map((position) => writes[position]);
    if (failed.some((one) => one && 'put' in one && one.put.kind === 'address')) {
      throw taken('ip_address');
    }
    if (failed.some((one) => one && 'update' in one && one.update.sk === keys.sshKeyCounts('').sk)) {
      throw unknownRecord('ssh_key_id');
    }
    throw new ConcurrentChange('node');
  }
}
