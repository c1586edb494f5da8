import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsOf } from '../../../infra/settings.ts';
import { prices } from '../../../shared/pricing/prices.ts';
import { deliveryTable, idleTable, minuteTable } from '../../../tools/cost/cost-tables.ts';
import { playbackChangeItems } from '../../../tools/cost/delivery-cost.ts';
import { earlyWorkerAssumptions, earlyWorkerItems } from '../../../tools/cost/early-worker-cost.ts';
import { type IdleTemplate, idleItems } from '../../../tools/cost/idle-cost.ts';
import { idleNodeAssumptions, idleNodeItems } from '../../../tools/cost/idle-node-cost.ts';
import { viewItems } from '../../../tools/cost/view-cost.ts';
import { measured } from '../../../tools/cost/workloads.ts';
import { templateOf } from '../../infra/synthesised.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/cost.md'), 'utf8');

/** After an intended change: run `npm run cost` and copy its tables into docs/cost.md. */
test('docs/cost.md has the tables that npm run cost prints', () => {
  expect(page).toContain(minuteTable(settingsOf('prod').workers, 10));
  const node = idleTable(idleNodeItems(idleNodeAssumptions), 'idle node with 20 workers, a month');
  expect(page).toContain(node);
  expect(page).toContain(idleTable(earlyWorkerItems(1000, earlyWorkerAssumptions), 'early workers of 1,000 videos'));
  expect(page).toContain(deliveryTable(1000));
  expect(page).toContain(idleTable(playbackChangeItems(1000), '1,000 changes of playback'));
  expect(page).toContain(idleTable(viewItems(100_000), '100,000 views'));
  expect(page).toContain(idleTable(idleItems(templateOf('prod').toJSON() as IdleTemplate)));
});

test('docs/cost.md says what traces add to an idle node', () => {
  const traces = idleNodeItems(idleNodeAssumptions, { tracing: true }).find(({ name }) => name === 'traces');
  expect(page).toContain(`The setting \`tracing\` adds $${traces!.dollars.toFixed(2)}`);
});

test('docs/cost.md names region, date and machine of prices and measurements', () => {
  for (const fact of [prices.region, prices.date, measured.date, measured.machine]) expect(page).toContain(fact);
});
