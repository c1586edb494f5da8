// Simulates the viewers of a day, counts their access logs, and compares the figures with the simulation.

import { functionEnvironment } from '../../test/fixtures/function-environment.ts';
import { openBucket } from '../../test/fixtures/open-bucket.ts';
import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';
import { createMeter } from '../scale/table/meter.ts';
import { openScaleTable } from '../scale/table/scale-table.ts';
import { callTableDirectly } from './call-table-directly.ts';
import { runSimulatedDay } from './run-simulated-day.ts';

const usage = `npm run views -- [--sessions 200000] [--videos 5000] [--periods 4] [--seed 1]

Simulates sessions of viewers of a day, writes the access logs of proxies and of distributions on AWS and on one machine,
and counts them in random order, 5 % of them twice at a time. Exits with 1 if a figure differs from the simulation.
`;

const options = {
  sessions: { type: 'string', default: '200000' },
  videos: { type: 'string', default: '5000' },
  periods: { type: 'string', default: '4' },
  seed: { type: 'string', default: '1' },
} as const;
const wanted = readProgramOptions(usage, options, ({ sessions, videos, periods, seed }) => ({
  sessions: wholeNumber('sessions', sessions),
  videos: wholeNumber('videos', videos),
  periods: wholeNumber('periods', periods),
  seed: wholeNumber('seed', seed),
}));

Object.assign(process.env, functionEnvironment);
const meter = createMeter();
const table = await openScaleTable(meter);
callTableDirectly(table.service);
const closeBucket = await openBucket();
const startMs = performance.now();
const result = await runSimulatedDay({ ...wanted, users: 50 }, meter, (line) => console.log(line));
await closeBucket();
await table.close();
const { requests, logs, calls, views, parts, units, differences } = result;
const seconds = (performance.now() - startMs) / 1000;
const per = ({ reads, writes }: { reads: number; writes: number }, count: number): string =>
  `${(writes / count).toFixed(2)} write units and ${(reads / count).toFixed(2)} read units`;
const all = {
  reads: units.sessions.reads + units.others.reads,
  writes: units.sessions.writes + units.others.writes,
};
console.log(
  [
    `${requests} requests in ${logs} logs, ${calls} calls, ${views} views, ${seconds.toFixed(0)} s`,
    `a session of a log, ${parts.sessions} of them: ${per(units.sessions, parts.sessions)}`,
    `a video of a log, ${parts.videos} of them: ${per(units.others, parts.videos)}`,
    `a view: ${per(all, views)}`,
    ...(differences.length === 0 ? ['all figures are equal'] : differences),
  ].join('\n'),
);
process.exitCode = differences.length === 0 ? 0 : 1;
