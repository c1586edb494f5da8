import { readEnvironment } from '../../shared/environment.ts';
import { nodeAddressProblem } from '../../shared/target-url.ts';
import { readParameter } from '../aws/parameters.ts';
import { nodeTargets } from '../common/allowed-targets.ts';
import type { Node } from '../table/nodes/node-table.ts';
import { pinHostKey } from '../table/nodes/pinned-host-key.ts';
import { NodeUnreachable } from './ssh/node-errors.ts';
import type { NodeTarget } from './ssh/node-target.ts';
import { privateKeyName } from './ssh-keys/private-keys.ts';

/**
 * The server of a node, with its private SSH key.
 * @throws NodeUnreachable when the address is not allowed, or the key does not exist
 */
export async function loadNodeTarget(node: Node): Promise<NodeTarget> {
  const problem = nodeAddressProblem(node.ipAddress, nodeTargets());
  // Registered while a setting allowed it.
  if (problem !== undefined) throw new NodeUnreachable('ADDRESS_REFUSED', problem.message);
  const privateKey = await readParameter(privateKeyName(node.sshKey.ulid));
  if (!privateKey)
    throw new NodeUnreachable('SSH_KEY_UNREADABLE', 'The SSH key of the node is not in the secret store.');
  return {
    ulid: node.ulid,
    type: node.type,
    address: node.ipAddress,
    port: readEnvironment('NODE_SSH_PORT'),
    user: node.user,
    hostname: node.hostname,
    workers: node.workers,
    cdnMode: node.cdnMode,
    privateKey,
    hostKey: node.hostKey,
    async pinHostKey(presented) {
      const pinned = await pinHostKey(node, presented);
      if (!pinned)
        throw new NodeUnreachable(
          'HOST_KEY_UNKNOWN',
          'The node was changed while the service was connecting. Try again.',
        );
      return pinned;
    },
  };
}
