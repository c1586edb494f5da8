import { expect, test } from 'vitest';
import { presets } from '../../../../functions/templates/presets.ts';
import { settingsOf } from '../../../../infra/settings.ts';
import { workloads, workOf } from '../../../../infra/tools/cost/workloads.ts';
import { dollarsOf, videoCost } from '../../../../shared/pricing/video-cost.ts';

test('every built-in template has a measurement', () => {
  expect(workloads.map(({ template }) => template).toSorted()).toEqual(presets.map(({ slug }) => slug).toSorted());
});

test('ten minutes are twenty chunks, each encoded in all renditions', () => {
  expect(workOf(workloads[0]!, 10)).toMatchObject({
    durationSeconds: 600,
    cpuSeconds: 2900,
    chunks: 20,
    renditions: 5,
  });
});

test('the costs of every built-in template are mostly encoding', () => {
  for (const { encoding, ...rest } of workloads.map((one) =>
    videoCost(workOf(one, 10), settingsOf('prod').workers, 0),
  )) {
    if (encoding > 0.01) expect(dollarsOf(rest)).toBeLessThan(encoding);
  }
});
