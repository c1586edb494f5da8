import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** Counts the nodes that use an SSH key. Its condition fails when the key was deleted. */
export const sshKeyUseWrite = (ulid: string, change: 1 | -1): Write => ({
  update: keys.sshKeyCounts(ulid),
  add: { nodes: change },
  when: { exists: true },
});
