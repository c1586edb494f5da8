import { expect, test } from 'vitest';
import { hideNode, updateNode } from '../../../../functions/table/nodes/node-registry.ts';
import { findNode } from '../../../../functions/table/nodes/node-table.ts';
import { pinHostKey } from '../../../../functions/table/nodes/pinned-host-key.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { storeNode } from '../../../fixtures/records/store-node.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const hostKey = (name: string) => ({ type: 'ssh-ed25519', sha256: `SHA256:${name}` });

test('of several first connections one pins, and all get the key that is pinned', async () => {
  const node = await storeNode();
  const names = ['a', 'b', 'c', 'd'];
  const got = await Promise.all(names.map((name) => pinHostKey(node, hostKey(name))));
  const stored = (await findNode(node.ulid))?.hostKey;
  expect(names.map(hostKey)).toContainEqual(stored);
  expect(got).toEqual(names.map(() => stored));
});

test('a change that was decided before the key was pinned is refused, and keeps the key', async () => {
  const node = await storeNode();
  await pinHostKey(node, hostKey('a'));
  const facts = { ...node, sshKey: node.sshKey!, name: 'renamed', deployed: node };
  await expect(updateNode(node, facts, (await createPerson()).user)).rejects.toThrow(
    'Another request changed the node',
  );
  expect((await findNode(node.ulid))?.hostKey).toEqual(hostKey('a'));
});

test('no key is pinned for a node that is deleted, or has another server since it was read', async () => {
  const gone = await storeNode();
  await hideNode(gone);
  expect(await pinHostKey(gone, hostKey('a'))).toBeUndefined();

  const moved = await storeNode({ ipAddress: '203.0.113.77' });
  expect(await pinHostKey({ ...moved, ipAddress: '203.0.113.78' }, hostKey('a'))).toBeUndefined();
  expect((await findNode(moved.ulid))?.hostKey).toBeNull();
});
