// Measures all operations on one table. Started by main.ts with the population as JSON; prints one JSON line.

import { setTimeout as sleep } from 'node:timers/promises';
import { documents } from '../../functions/aws/table-client.ts';
import { openBucket } from '../../test/fixtures/open-bucket.ts';
import { apiCalls } from './operations/api-calls.ts';
import { backlogs } from './operations/backlogs.ts';
import { changes } from './operations/changes.ts';
import type { Operation } from './operations/operation.ts';
import { scheduledRuns } from './operations/scheduled-runs.ts';
import { workerCalls } from './operations/worker-calls.ts';
import { stubOtherServices } from './other-services.ts';
import type { Measured } from './report.ts';
import { storeActors } from './table/actors.ts';
import { type Backlog, noBacklog } from './table/backlog.ts';
import { createMeter } from './table/meter.ts';
import { fillTable, type Population } from './table/population.ts';
import { openScaleTable } from './table/scale-table.ts';

/** An operation that needs more requests than this is stopped: it depends on the size of the table. */
const maxRequests = 20_000;
const quietMilliseconds = 300;

const log = (text: string): boolean => process.stderr.write(`${text}\n`);

/** Measures the operations whose name includes `only`. */
export async function measureAll(population: Population & Backlog, only: string): Promise<Measured[]> {
  const meter = createMeter();
  const others = stubOtherServices();
  const table = await openScaleTable(meter);
  const closeBucket = await openBucket();
  documents.middlewareStack.add(
    (next) => async (request) => {
      if (meter.isStopped()) throw new Error('The operation was stopped.');
      return next(request);
    },
    { step: 'initialize' },
  );
  try {
    const actors = await storeActors();
    const startMs = performance.now();
    const items = await fillTable(table, population, actors);
    log(`${JSON.stringify(population)}: ${items} items in ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
    const measured: Measured[] = [];
    if (Object.keys(noBacklog).some((kind) => population[kind as keyof Backlog] > 0)) {
      for (const operation of backlogs(actors))
        if (operation.name.includes(only)) measured.push(await measure(operation));
      return measured;
    }
    const runs = await scheduledRuns();
    // What was due when the table was filled is done: a measured run finds the same on each table.
    for (const run of runs.filter(({ name }) => name.includes(only))) await measure(run);
    const operations = [...runs, ...apiCalls(actors), ...workerCalls(actors), ...changes(actors)];
    for (const operation of operations.filter(({ name }) => name.includes(only))) {
      measured.push(await measure(operation));
    }
    return measured;
  } finally {
    await closeBucket();
    await table.close();
  }

  /** The parallel requests of a run that failed have ended. */
  async function waitUntilQuiet(): Promise<void> {
    for (let before = -1; before !== meter.counted().requests; ) {
      before = meter.counted().requests;
      await sleep(quietMilliseconds);
    }
  }

  async function measure({ name, prepare, run, calls = 1, results }: Operation): Promise<Measured> {
    await prepare?.();
    others.calls();
    meter.start(maxRequests);
    const startMs = performance.now();
    const failure = await run().then(
      () => undefined,
      (error: unknown) => String(error),
    );
    const seconds = (performance.now() - startMs) / 1000;
    const isStopped = meter.isStopped();
    if (failure !== undefined) await waitUntilQuiet();
    const { keys, ...counted } = meter.counted();
    meter.start();
    if (failure !== undefined && !isStopped) log(`${name}: ${failure}`);
    const hottest = (kind: 'reads' | 'writes') => keys.toSorted((a, b) => b[kind] - a[kind])[0];
    return {
      name,
      calls,
      seconds,
      isStopped,
      ...counted,
      otherCalls: others.calls(),
      ...(results !== undefined && { results }),
      ...(failure !== undefined && !isStopped && { failure }),
      hottestRead: hottest('reads'),
      hottestWrite: hottest('writes'),
    };
  }
}

const [text = '', only = ''] = process.argv.slice(2);
const measured = await measureAll({ ...noBacklog, ...(JSON.parse(text) as Population) }, only);
process.stdout.write(`${JSON.stringify(measured)}\n`, () => process.exit(0));
