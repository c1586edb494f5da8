import { expect, test } from 'vitest';
import { compareUse } from '../../tools/cost/compare-use.ts';
import { measureRun } from '../../tools/cost/measure-run.ts';

test('the cost model has what a run in the embedded AWS uses', async () => {
  const rows = compareUse(await measureRun('prod', () => {}));
  const isOff = ({ model, measured, variesWithSpeed }: (typeof rows)[number]): boolean => {
    const bound = variesWithSpeed ? 1.5 : 1.1;
    return measured > bound * model || bound * measured < model;
  };
  expect(rows.filter(isOff)).toEqual([]);
});
