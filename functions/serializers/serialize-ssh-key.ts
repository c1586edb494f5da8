import type * as z from 'zod';
import type { sshKeyRoutes } from '../contracts/routes/ssh-key-routes.ts';
import type { SshKey } from '../table/nodes/ssh-key-table.ts';

type Serialized = z.input<typeof sshKeyRoutes.get.response>['data'];

export const serializeSshKey = (
  { id, ulid, name, publicKey, fingerprint, createdAt }: SshKey,
  nodesCount: number,
): Serialized => ({
  id,
  ulid,
  name,
  public_key: publicKey,
  fingerprint,
  nodes_count: nodesCount,
  created_at: createdAt,
});
