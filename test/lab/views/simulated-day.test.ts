import { expect, test } from 'vitest';
import { createMeter } from '../../../lab/scale/table/meter.ts';
import { openScaleTable } from '../../../lab/scale/table/scale-table.ts';
import { callTableDirectly } from '../../../lab/views/call-table-directly.ts';
import { runSimulatedDay } from '../../../lab/views/run-simulated-day.ts';
import { viewAssumptions } from '../../../tools/cost/view-cost.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';

useBucket();

test('the figures of a simulated day are those of its viewers', async () => {
  const meter = createMeter();
  const table = await openScaleTable(meter);
  callTableDirectly(table.service);
  const { differences, views, parts, units } = await runSimulatedDay(
    { sessions: 250, videos: 21, users: 3, periods: 2, seed: 1 },
    meter,
    () => {},
  );
  await table.close();
  expect(differences).toEqual([]);
  expect(views).toBeGreaterThan(250);
  // The costs that docs/cost.md has.
  const { unitsPerSession, unitsPerVideo } = viewAssumptions;
  for (const kind of ['reads', 'writes'] as const) {
    const ratios = [
      units.sessions[kind] / parts.sessions / unitsPerSession[kind],
      units.others[kind] / parts.videos / unitsPerVideo[kind],
    ];
    for (const ratio of ratios) {
      // What each log takes once weighs more where it has few videos.
      expect(ratio).toBeGreaterThan(0.7);
      expect(ratio).toBeLessThan(1.5);
    }
  }
});
