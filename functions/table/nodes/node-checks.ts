import { timestamp } from '../../../shared/clock.ts';
import { type Due, due, dueFields, nodeDue, nodesDueBy } from '../items/due-keys.ts';
import { countDue, duePages } from '../items/due-pages.ts';
import { below } from '../items/expression.ts';
import { ConditionFailed, getItems, transact, type Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { changedSums, type NodeCapacity } from './node-capacity-table.ts';
import { type Node, nodeRecord } from './node-table.ts';

/** Nodes to check, those that are due for longest first, page by page. Deleted ones whose items remain are included. */
export async function* dueNodes(): AsyncGenerator<Node[]> {
  const pages = duePages(['node'], nodesDueBy(timestamp()));
  for await (const page of pages) yield (await getItems(page)).map((item) => nodeRecord.parse(item));
}

/** The nodes as they are now, in the same order. Deleted ones whose items remain are included. */
export const readAgain = async (nodes: readonly Node[]): Promise<Node[]> =>
  (await getItems(nodes.map(({ ulid }) => keys.node(ulid)))).map((item) => nodeRecord.parse(item));

/** What a check has found of a node. */
export type Checked = {
  node: Node;
  /** what it adds to the capacity of all nodes; undefined for nothing */
  counted: NodeCapacity | undefined;
  /** when it is looked at again, if nothing changes before; undefined for never */
  nextCheckAt: string | undefined;
};

/** A transaction has at most 100 items. */
const nodesAtOnce = 50;

/**
 * Stores what checks have found, and adds the change to the capacity of all nodes. A node that has changed since it was
 * read is left to the next check.
 */
export async function storeChecks(checks: readonly Checked[]): Promise<void> {
  for (let at = 0; at < checks.length; at += nodesAtOnce) {
    for (let left = checks.slice(at, at + nodesAtOnce); left.length > 0; ) {
      const failed = await tryStore(left);
      if (failed.length === 0) break;
      left = left.filter((_, position) => !failed.includes(position));
    }
  }
}

/** The positions of the nodes that have changed. Nothing is stored when there are any. */
async function tryStore(checks: readonly Checked[]): Promise<number[]> {
  const sums = changedSums(
    checks.flatMap(({ counted }) => counted ?? []),
    checks.flatMap(({ node }) => node.counted ?? []),
  );
  const changed = Object.entries(sums).filter(([, amount]) => amount !== 0);
  const capacity = changed.length > 0 ? [capacityWrite(Object.fromEntries(changed))] : [];
  try {
    await transact([...checks.map(checkedWrite), ...capacity]);
    return [];
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return error.failed;
  }
}

function checkedWrite({ node, counted, nextCheckAt }: Checked): Write {
  const added = dueFieldsOf(node, counted, nextCheckAt);
  return {
    update: keys.node(node.ulid),
    set: { counted, ...added },
    remove: [...(counted ? [] : ['counted']), ...(added ? [] : dueFields)],
    when: {
      equals: { revision: node.revision, ...(node.counted && below('counted', node.counted)) },
      absent: node.counted ? [] : ['counted'],
    },
  };
}

/** Failed nodes are listed apart, so that their number is known. */
function dueFieldsOf(
  { ulid, status }: Node,
  counted: NodeCapacity | undefined,
  at: string | undefined,
): Due | undefined {
  if (at !== undefined) return nodeDue(ulid, at, counted);
  return status === 'failed' ? due('failed-node', ulid, timestamp()) : undefined;
}

const capacityWrite = (added: Record<string, number>): Write => ({
  update: keys.nodeCapacity(),
  set: { kind: 'node-capacity' },
  add: added,
});

export const countFailedNodes = (): Promise<number> => countDue('failed-node');
