import type * as z from 'zod';
import type { sshKeyRoutes } from '../../shared/routes/ssh-keys.ts';
import type { SshKey } from '../../shared/table/ssh-keys.ts';

type Shown = z.input<typeof sshKeyRoutes.get.answer>['data'];

export const presentSshKey = (
  { id, ulid, name, publicKey, fingerprint, createdAt }: SshKey,
  nodesCount: number,
): Shown => ({
  id,
  ulid,
  name,
  public_key: publicKey,
  fingerprint,
  nodes_count: nodesCount,
  created_at: createdAt,
});
