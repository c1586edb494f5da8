// The costs of an idle stage and of a minute of source in each template, by the model in this folder.
// npm run cost -- [STAGE] [MINUTES a month]
// npm run cost -- --measured [STAGE]: compares the model's requests and units with those of a run on this machine

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { App } from 'aws-cdk-lib';
import { type Settings, settingsOf } from '../../infra/settings.ts';
import { VideoService } from '../../infra/stack.ts';
import { prices } from '../../shared/pricing/prices.ts';
import { dollarsOf, videoCost } from '../../shared/pricing/video-cost.ts';
import { deliveryTable, idleTable, minuteTable } from './cost-tables.ts';
import { playbackChangeItems } from './delivery-cost.ts';
import { earlyWorkerAssumptions, earlyWorkerItems } from './early-worker-cost.ts';
import { type IdleTemplate, idleItems } from './idle-cost.ts';
import { idleNodeAssumptions, idleNodeItems } from './idle-node-cost.ts';
import { viewItems } from './view-cost.ts';
import { measured, workloads, workOf } from './workloads.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { measured: { type: 'boolean' } } });
const [stage = 'prod', minutesText = '1000'] = positionals;
const minutes = Number(minutesText);
if (!(minutes >= 0)) throw new Error(`minutes must be a number, not ${minutesText}`);

if (values.measured) await printMeasured();
else printModel();

async function printMeasured(): Promise<void> {
  // The model alone does not need the embedded AWS.
  const [{ compareUse, useTable }, { measureRun }] = await Promise.all([
    import('./compare-use.ts'),
    import('./measure-run.ts'),
  ]);
  console.log('It takes some minutes: workers and changes of playback have to end.');
  const rows = compareUse(await measureRun(stage, (line) => console.log(line)));
  console.log(`\n${useTable(rows)}`);
}

function printModel(): void {
  const settings = settingsOf(stage);
  const { workers } = settings;
  const items = idleItems(templateOf(settings));
  const idle = items.reduce((sum, { dollars }) => sum + dollars, 0);

  console.log(
    `Prices of ${prices.region} on ${prices.date}. CPU seconds measured on ${measured.date}, ${measured.machine}.\n`,
  );
  console.log(`One minute of source, in a 10-minute video, on tasks with ${workers.cpuUnits / 1024} vCPU:\n`);
  console.log(minuteTable(workers, 10));
  console.log(`\n${idleTable(items)}\n`);
  const nodeTitle = `idle node with ${idleNodeAssumptions.workers} workers, a month`;
  console.log(`${idleTable(idleNodeItems(idleNodeAssumptions), nodeTitle)}\n`);
  console.log(`${idleTable(earlyWorkerItems(1000, earlyWorkerAssumptions), 'early workers of 1,000 videos')}\n`);
  console.log(`${deliveryTable(1000)}\n`);
  console.log(`${idleTable(playbackChangeItems(1000), '1,000 changes of playback')}\n`);
  console.log(`${idleTable(viewItems(100_000), '100,000 views')}\n`);
  console.log(
    `${minutes} minutes per month, ${workers.spotTaskShare * 100} % of the tasks on Spot, without storage and delivery:`,
  );
  for (const workload of workloads) {
    const encoded = (dollarsOf(videoCost(workOf(workload, 10), workers, workers.spotTaskShare)) / 10) * minutes;
    console.log(`  ${workload.template.padEnd(20)} ${(idle + encoded).toFixed(2).padStart(10)} dollars`);
  }
}

/** The template, synthesised without bundles, which cost nothing. */
function templateOf(settings: Settings): IdleTemplate {
  const outdir = mkdtempSync(join(tmpdir(), 'cost-'));
  try {
    const app = new App({ outdir, analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });
    const stack = new VideoService(app, `video-service-${stage}`, { settings });
    return app.synth().getStackArtifact(stack.artifactId).template as IdleTemplate;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
