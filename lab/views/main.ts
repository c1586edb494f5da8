// Simulates the viewers of a day, counts their access logs, and compares the figures with the simulation.

import { functionEnvironment } from '../../test/fixtures/function-environment.ts';
import { openBucket } from '../../test/fixtures/open-bucket.ts';
import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';
import { createMeter } from '../scale/table/meter.ts';
import { openScaleTable } from '../scale/table/scale-table.ts';
import { runSimulatedDay } from './run-simulated-day.ts';

const usage = `npm run views -- [--sessions 200000] [--videos 5000] [--seed 1]

Simulates sessions of viewers of a day, writes the access logs of proxies and of distributions on AWS and on one machine,
and counts them in random order, 5 % of them twice at a time. Exits with 1 if a figure differs from the simulation.
`;

const options = {
  sessions: { type: 'string', default: '200000' },
  videos: { type: 'string', default: '5000' },
  seed: { type: 'string', default: '1' },
} as const;
const wanted = readProgramOptions(usage, options, ({ sessions, videos, seed }) => ({
  sessions: wholeNumber('sessions', sessions),
  videos: wholeNumber('videos', videos),
  seed: wholeNumber('seed', seed),
}));

Object.assign(process.env, functionEnvironment);
const meter = createMeter();
const table = await openScaleTable(meter);
const closeBucket = await openBucket();
const startMs = performance.now();
const result = await runSimulatedDay({ ...wanted, users: 50, periods: 24 }, meter, (line) => console.log(line));
await closeBucket();
await table.close();
const per = (units: number, count: number): string => (units / count).toFixed(2);
const { requests, logs, calls, views, readUnits, writeUnits, differences } = result;
console.log(
  [
    `${requests} requests in ${logs} logs, ${calls} calls, ${views} views, ${((performance.now() - startMs) / 1000).toFixed(0)} s`,
    `write units: ${writeUnits}, ${per(writeUnits, views)} a view, ${per(writeUnits * 1000, requests)} for 1,000 requests`,
    `read units: ${readUnits}, ${per(readUnits, views)} a view`,
    ...(differences.length === 0 ? ['all figures are equal'] : differences),
  ].join('\n'),
);
process.exitCode = differences.length === 0 ? 0 : 1;
