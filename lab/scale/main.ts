// Fills tables of different sizes, runs the scheduled runs and calls of the API on each, and prints what they cost.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';
import { type Compared, exceeded, formatReport, type Measured } from './report.ts';
import type { Backlog } from './table/backlog.ts';
import type { Population } from './table/population.ts';

const usage = `npm run scale -- [--records 10000] [--users N] [--videos N] [--waiting N] [--uploads N] [--nodes 10000] [--backlog 50000] [--only TEXT]

Measures every scheduled run and the calls of the API and of workers on a small table, on one with more records and on
one with more nodes. Exits with 1 when capacity units grow with the table or a partition key gets too hot.

  --records N  users, videos, waiting videos and open uploads on the large table; 10000 without it. 1000000 takes about
               ten minutes and some GB in the folder for temporary files
  --users N, --videos N, --waiting N, --uploads N
               another number of one kind
  --nodes N    nodes on the table with more nodes; 10000 without it
  --backlog N  waiting videos after an outage, with a fifth as many expired uploads and a tenth as many expired leases;
               50000 without it. 500000 takes some minutes more
  --only TEXT  operations whose names contain the text
`;

const few: Population = { users: 1000, videos: 1000, waiting: 1000, uploads: 1000, nodes: 100 };

const text = { type: 'string' } as const;
const options = {
  records: { type: 'string', default: '10000' },
  users: text,
  videos: text,
  waiting: text,
  uploads: text,
  nodes: { type: 'string', default: '10000' },
  backlog: { type: 'string', default: '50000' },
  only: { type: 'string', default: '' },
} as const;
const { many, backlog, only } = readProgramOptions(usage, options, ({ records, nodes, backlog, only, ...kinds }) => {
  const of = (kind: keyof typeof kinds): number => wholeNumber(kind, kinds[kind] ?? records);
  const lists = { users: of('users'), videos: of('videos'), waiting: of('waiting'), uploads: of('uploads') };
  return { many: { ...lists, nodes: wholeNumber('nodes', nodes) }, backlog: wholeNumber('backlog', backlog), only };
});

/** What has to be done after an outage, in the proportions of a day with as many videos. */
const backlogOf = (waitingVideos: number): Population & Backlog => ({
  users: 0,
  videos: 0,
  waiting: 0,
  uploads: 0,
  nodes: 0,
  waitingVideos,
  expiredUploads: Math.ceil(waitingVideos / 5),
  expiredLeases: Math.ceil(waitingVideos / 10),
});
/** The parts that are worked through are smaller. */
const smallBacklog = 20_000;

/**
 * Each table has its own process, so that none uses memory or caches of another. A process has so little memory that a
 * run cannot hold a backlog.
 */
async function measure(population: Population & Partial<Backlog>): Promise<Measured[]> {
  const program = new URL('measure.ts', import.meta.url).pathname;
  const run = promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=256', program, JSON.stringify(population), only],
    {
      maxBuffer: 2 ** 26,
      env: { ...process.env, POWERTOOLS_LOG_LEVEL: 'SILENT' },
    },
  );
  run.child.stderr?.pipe(process.stderr);
  const { stdout } = await run.catch(() => {
    console.error('The measurement has failed.');
    return process.exit(2);
  });
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Measured[];
}

const small = await measure(few);
const manyRecords = await measure({ ...many, nodes: few.nodes });
const manyNodes = await measure({ ...few, nodes: many.nodes });
const compared: Compared[] = small.map((one, position) => ({
  small: one,
  manyRecords: manyRecords[position]!,
  manyNodes: manyNodes[position]!,
}));
const afterOutage = await measure(backlogOf(smallBacklog));
const afterLongOutage = await measure(backlogOf(backlog));
compared.push(
  ...afterOutage.map((one, position) => ({ small: one, manyRecords: afterLongOutage[position]!, manyNodes: one })),
);
console.log(`\n${formatReport(compared)}`);
process.exitCode = compared.some((one) => exceeded(one).length > 0) ? 1 : 0;
