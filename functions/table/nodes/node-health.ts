import { timestamp } from '../../../shared/clock.ts';
import { ConditionFailed, type Write, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Node } from './node-table.ts';

/** Moves an active node that does not call or answer to failed. It gets no work until it is seen again. */
export const failNode = (node: Node, lastError: string): Promise<void> =>
  unlessChanged({
    update: keys.node(node.ulid),
    set: { status: 'failed', lastError, activeSince: null, updatedAt: timestamp() },
    add: { revision: 1 },
    when: { equals: { revision: node.revision, status: 'active' } },
  });

/** Counts a health check that a proxy has not answered. */
export const missNode = (node: Node): Promise<void> =>
  unlessChanged({
    update: keys.node(node.ulid),
    add: { misses: 1, revision: 1 },
    when: { equals: { revision: node.revision, status: 'active' } },
  });

async function unlessChanged(one: Write): Promise<void> {
  try {
    await write(one);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
