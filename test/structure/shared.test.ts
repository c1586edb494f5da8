import { expect, test } from 'vitest';
import { modules, reachableFrom, topFolders, within } from './modules.ts';

const consumers = topFolders.filter((folder) => folder !== 'shared');
const reach = new Map(consumers.map((folder) => [folder, reachableFrom(modules.filter(within(folder)))]));

test('shared holds only what at least two top folders reach', () => {
  const misplaced = modules
    .filter(within('shared'))
    .map((path) => ({ path, users: consumers.filter((folder) => reach.get(folder)!.has(path)) }))
    .filter(({ users }) => users.length < 2)
    .map(({ path, users }) => `${path} is reached by ${users.join() || 'no top folder'}`);
  expect(misplaced).toEqual([]);
});
