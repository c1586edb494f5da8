import { timestamp } from '../../../shared/clock.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { keys } from '../items/keys.ts';
import { nodeEvent } from '../writes/event-writes.ts';
import { checkNow, type Node } from './node-table.ts';
import { changingProxies } from './proxy-cache.ts';

/** Moves an active node that does not call or answer to failed. It gets no work until it is seen again. */
export const failNode = (node: Node, lastError: string): Promise<boolean> =>
  changingProxies(
    tryTransact([
      {
        update: keys.node(node.ulid),
        set: { ...checkNow(node), status: 'failed', lastError, activeSince: null, updatedAt: timestamp() },
        add: { revision: 1 },
        when: { equals: { revision: node.revision, status: 'active' } },
      },
      nodeEvent('node.failed', node),
    ]),
  );

/** Counts a health check that a proxy has not answered. */
export const missNode = (node: Node): Promise<boolean> =>
  tryWrite({
    update: keys.node(node.ulid),
    add: { misses: 1, revision: 1 },
    when: { equals: { revision: node.revision, status: 'active' } },
  });
