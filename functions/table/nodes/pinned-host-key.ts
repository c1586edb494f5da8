import { timestamp } from '../../../shared/clock.ts';
import { ConditionFailed, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { findNode, type Node } from './node-table.ts';

export type HostKey = NonNullable<Node['hostKey']>;

/**
 * Pins the host key of a server without a pinned key. Of two concurrent first connections, one pins its key; both get
 * the key that is pinned then. Undefined when the node was deleted, or has another address, user or SSH key than when
 * it was read.
 */
export async function pinHostKey(node: Node, shown: HostKey): Promise<HostKey | undefined> {
  const { ipAddress, user, sshKey } = node;
  try {
    await write({
      update: keys.node(node.ulid),
      set: { hostKey: shown, updatedAt: timestamp() },
      add: { revision: 1 },
      when: {
        equals: { hostKey: null, ipAddress, user, 'sshKey.ulid': sshKey.ulid },
        absent: ['deletedAt'],
      },
    });
    return shown;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
  const current = await findNode(node.ulid);
  const isSame = current?.ipAddress === ipAddress && current.user === user && current.sshKey.ulid === sshKey.ulid;
  return (isSame && current.hostKey) || undefined;
}
