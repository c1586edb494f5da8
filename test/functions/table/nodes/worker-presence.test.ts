import { expect, test } from 'vitest';
import {
  countFreeNodeWorkers,
  forgetIdleWorker,
  recordIdleWorker,
} from '../../../../functions/table/nodes/worker-presence.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

test('a worker of a node is free from its first call after the node became active, until the node is drained', async () => {
  const free: number[] = [];
  const call = async (takesMore: boolean): Promise<void> => {
    await recordIdleWorker('node', 'worker-1', takesMore);
    free.push(await countFreeNodeWorkers(10));
  };
  await call(false);
  await call(true);
  await call(false);
  await call(true);
  expect(free).toEqual([0, 1, 0, 1]);
  await forgetIdleWorker('node', 'worker-1');
  expect(await countFreeNodeWorkers(10)).toBe(0);
});
