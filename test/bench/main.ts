// npm run bench -- [--json] [--repeats 3] [--only NAME]
// Prints what was measured beside its baseline of the same run; ends with 1 when a target is missed.

import { parseArgs } from 'node:util';
import { measureBundles } from './bundles.ts';
import { measureDeployStep } from './deploy-step.ts';
import { measureHandlers } from './handlers.ts';
import { measureMemory } from './memory.ts';
import { measureOrchestration } from './orchestration.ts';
import { measurePages } from './pages.ts';
import { measurePipeline } from './pipeline.ts';
import { measureProxy } from './proxy.ts';
import { measureQuality } from './quality.ts';
import { formatTable } from './row.ts';
import { measureSourceReads } from './source-reads.ts';
import { measureStartUp } from './start-up.ts';
import { measureUpload } from './upload.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    repeats: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const repeats = Number(values.repeats);
if (!(Number.isInteger(repeats) && repeats >= 1)) throw new Error(`--repeats is a whole number, not ${values.repeats}`);

const benches = {
  start: () => measureStartUp(repeats),
  queue: () => measureOrchestration(),
  bundles: () => measureBundles(repeats),
  handlers: () => measureHandlers(repeats),
  pages: () => measurePages(),
  deploy: () => measureDeployStep(),
  upload: () => measureUpload(2),
  pipeline: () => measurePipeline(repeats),
  memory: () => measureMemory(),
  quality: () => measureQuality(repeats),
  proxy: () => measureProxy(10),
  reads: () => measureSourceReads(),
};
const wanted = Object.entries(benches).filter(([name]) => values.only === undefined || values.only === name);
if (wanted.length === 0) throw new Error(`--only is one of ${Object.keys(benches).join(', ')}`);

const rows = [];
for (const [, measure] of wanted) rows.push(...(await measure()));
console.log(values.json ? rows.map((row) => JSON.stringify(row)).join('\n') : formatTable(rows));
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
