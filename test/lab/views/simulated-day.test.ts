import { expect, test } from 'vitest';
import { createMeter } from '../../../lab/scale/table/meter.ts';
import { runSimulatedDay } from '../../../lab/views/run-simulated-day.ts';
import { openTable } from '../../fixtures/open-table.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';

useBucket();

test('the figures of a simulated day are those of its viewers', async () => {
  const close = await openTable();
  const { differences, views } = await runSimulatedDay(
    { sessions: 250, videos: 21, users: 3, periods: 2, seed: 1 },
    createMeter(),
    () => {},
  );
  await close();
  expect(differences).toEqual([]);
  expect(views).toBeGreaterThan(250);
});
