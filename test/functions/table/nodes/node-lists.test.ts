import { expect, test } from 'vitest';
import { failNode } from '../../../../functions/table/nodes/node-health.ts';
import { countNodes, listNodePart, readRecentProxies } from '../../../../functions/table/nodes/node-lists.ts';
import { hideNode, removeNode } from '../../../../functions/table/nodes/node-registry.ts';
import { listGoneNodes, storeNode } from '../../../fixtures/records/store-node.ts';
import { storeProxy } from '../../../fixtures/records/store-video.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const ids = (nodes: readonly { id: number }[]) => nodes.map(({ id }) => id);

test('workers and proxies are one list in order of ids, without deleted nodes', async () => {
  const nodes = [];
  for (let n = 0; n < 3; n++) nodes.push(await storeNode(), await storeProxy(`proxy${n}.example.com`));
  expect(ids(await listNodePart({ offset: 0, limit: 100 }))).toEqual(ids(nodes));
  expect(ids(await listNodePart({ offset: 2, limit: 3 }))).toEqual(ids(nodes.slice(2, 5)));
  expect(ids(await listNodePart({ fromId: nodes[4]!.id, offset: 0, limit: 2 }))).toEqual(ids(nodes.slice(4)));
  expect(await countNodes()).toBe(6);
  await hideNode(nodes[1]!);
  await hideNode(nodes[1]!);
  expect(ids(await listNodePart({ offset: 1, limit: 2 }))).toEqual(ids(nodes.slice(2, 4)));
  expect(await countNodes()).toBe(5);
  expect(ids(await listGoneNodes())).toEqual([nodes[1]!.id]);
  await removeNode(nodes[1]!.ulid);
  expect(await listGoneNodes()).toEqual([]);
});

test('an instance keeps the active proxies, and forgets them when it changes a node', async () => {
  const one = await storeProxy('one.example.com');
  const hostnames = async () => (await readRecentProxies()).map(({ hostname }) => hostname);
  expect(await hostnames()).toContain('one.example.com');
  const reads = [readRecentProxies(), readRecentProxies()];
  expect(reads[0]).toBe(reads[1]);
  await failNode(one, 'It does not answer.');
  expect(await hostnames()).not.toContain('one.example.com');
});
