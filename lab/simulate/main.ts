// npm run simulate Processes thousands of chunks in virtual time with the service's scheduling code and prints the
// results. Exits with 1 when a target is missed.

import { settingsOf } from '../../infra/settings.ts';
import { prices } from '../../shared/pricing/prices.ts';
import { formatTable, type Row, row } from '../bench/row.ts';
import { besideEndless, plannedUpload, watch } from './planned-upload.ts';
import { concurrentUploads, createUploads, mixedUploads, type Upload, workSeconds } from './workload.ts';
import { lowerBoundSeconds, type Outcome, type Pool, simulate } from './world.ts';

const settings = settingsOf('dev', {}).workers;

const rows: Row[] = [];

function makespan(name: string, uploads: readonly Upload[], pool: Pool, ratioAtMost: number): void {
  const outcome = simulate(uploads, pool);
  const baseline = lowerBoundSeconds(uploads, pool);
  rows.push(row({ name: `${name}: makespan`, value: outcome.makespanSeconds, unit: 's', baseline, ratioAtMost }));
  const per = (count: number): number => count / outcome.jobs;
  rows.push(
    row({ name: `${name}: store write requests a job`, value: per(outcome.calls.writes), unit: '', atMost: 6 }),
  );
  const { lost, spares, calls } = outcome;
  console.log(
    `${name}: ${outcome.jobs} jobs, ${lost} workers lost, ${spares} second leases; a job: ${per(calls.writes).toFixed(1)} write requests of ` +
      `${per(calls.itemsWritten).toFixed(1)} items, ${per(calls.reads).toFixed(1)} reads`,
  );
}

const chunks = 10_000;
const mixed = mixedUploads(chunks, 7);
for (const [tasks, ratioAtMost] of [
  [3, 1.1],
  [10, 1.1],
  [30, 1.1],
  [100, 1.1],
  [300, 1.25],
  [1000, 1.25],
] as const) {
  makespan(`${tasks} tasks`, mixed, { nodeWorkers: 0, maxTasks: tasks }, ratioAtMost);
}
makespan('100 tasks, a tenth lost', mixed, { nodeWorkers: 0, maxTasks: 100, lostShare: 0.1 }, 1.15);
makespan('50 node workers and 50 tasks, a tenth lost', mixed, { nodeWorkers: 50, maxTasks: 50, lostShare: 0.1 }, 1.15);
const concurrent = concurrentUploads(1000, 23);
for (const [nodeWorkers, ratioAtMost] of [
  [100, 1.1],
  [1000, 1.25],
  [10_000, 1.25],
] as const) {
  makespan(`1,000 videos, workers of ${nodeWorkers} nodes`, concurrent, { nodeWorkers, maxTasks: 0 }, ratioAtMost);
}
const one = createUploads(3)({ owner: 'ada', atSeconds: 0, chunks, chunkSeconds: 40 });
makespan('100 tasks, slow hosts', mixed, { nodeWorkers: 0, maxTasks: 100, slowShare: 0.01 }, 1.2);
makespan('one video, 100 tasks', [one], { nodeWorkers: 0, maxTasks: 100 }, 1.1);
makespan('one video, 1000 tasks', [one], { nodeWorkers: 0, maxTasks: 1000 }, 1.25);

/**
 * Duration of a 10 s video that arrives during the encode of a 10 h one, and alone. Averages over arrival times with
 * warm workers.
 */
function shortBesideLong(workers: number, owner: string): void {
  const moments = Array.from({ length: 20 }, (_, n) => 300 + 17 * n);
  const upload = createUploads(11);
  const long = upload({ owner: 'ada', atSeconds: 0, chunks: 1200, chunkSeconds: 40, name: 'long' });
  const pool = { nodeWorkers: workers, maxTasks: 0 };
  const short = (atSeconds: number) => upload({ owner, atSeconds, chunks: 1, chunkSeconds: 14, name: 'short' });
  const took = (uploads: Upload[], seed: number): number => simulate(uploads, pool, seed).seconds.get('short')!;
  const average = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const alone = average(moments.map((at, n) => took([short(at)], n)));
  const beside = average(moments.map((at, n) => took([long, short(at)], n)));
  const whose = owner === 'ada' ? 'the same user' : 'another user';
  rows.push(
    row({
      name: `10 s video of ${whose} beside 10 h, ${workers} workers: wait`,
      value: beside - alone,
      unit: 's',
      baseline: alone,
      ratioAtMost: 2,
    }),
  );
}
for (const workers of [3, 10, 100]) for (const owner of ['ada', 'ben']) shortBesideLong(workers, owner);

/** One video of one user beside a hundred of another user, all of the same length. */
function oneBesideMany(): void {
  const upload = createUploads(13);
  const many = Array.from({ length: 100 }, (_, n) =>
    upload({ owner: 'ada', atSeconds: n, chunks: 20, chunkSeconds: 40, name: `many ${n}` }),
  );
  const single = upload({ owner: 'ben', atSeconds: 300, chunks: 20, chunkSeconds: 40, name: 'single' });
  const pool = { nodeWorkers: 20, maxTasks: 0 };
  const took = (uploads: Upload[]): number => simulate(uploads, pool).seconds.get('single')!;
  // This user's share is half of the workers: twice the time of the work plus the rest of the chunks that already run.
  rows.push(
    row({
      name: 'one video beside 100 of another user',
      value: took([...many, single]),
      unit: 's',
      baseline: took([single]),
      ratioAtMost: 3,
    }),
  );
}
oneBesideMany();

/**
 * 4 vCPU and 8 GB on demand in us-east-1, arm64. A task is billed from the pull of its image on, and for a minute at
 * least.
 */
const dollarsPerSecond = (4 * 0.03238 + 8 * 0.00356) / 3600;
const billedStartSeconds = 30;

function cost(count: number): void {
  const upload = createUploads(17)({ owner: 'ada', atSeconds: 0, chunks: count, chunkSeconds: 40 });
  const { taskSeconds, tasks } = simulate([upload], { nodeWorkers: 16, maxTasks: 100 });
  const pool = (taskSeconds + tasks * billedStartSeconds) * dollarsPerSecond;
  const perChunk = upload.chunks.reduce((sum, { seconds }) => sum + Math.max(60, seconds + billedStartSeconds), 0);
  rows.push(
    row({
      name: `${count} chunks, 16 node workers: tasks cost`,
      value: pool,
      unit: '$',
      baseline: perChunk * dollarsPerSecond,
      ratioAtMost: 1,
    }),
  );
}
cost(2000);
cost(10_000);

/** One hour of 1080p for 100 workers. Contents differ: the slowest of several runs counts. */
const seeds = [1, 2, 3];
const hour = (seed: number, more = {}) =>
  plannedUpload({ name: 'hour', lengthSeconds: 3600, workers: 100, seed, ...more });
const largest = (values: number[]): number => Math.max(...values);
const earlyPool = { nodeWorkers: 0, maxTasks: 100, idlePollSeconds: settings.idleSyncMs / 1000 };
const { secondsPerTask, idleExitSeconds } = settings;
/** Less than what the times of the simulation are rounded by. */
const noStallSeconds = 0.1;

function earlyPlayback(name: string, pool: Pool, limits: { firstFrame: number; completed: number }): Outcome[] {
  const isColdStart = (pool.lambdas ?? 0) > 0;
  const outcomes = seeds.map((seed) => simulate([hour(seed, { isColdStart })], { ...earlyPool, ...pool }, seed));
  const watched = outcomes.map(({ stored }) => watch(stored.get('hour')!));
  const add = (what: string, values: number[], atMost?: number): void => {
    rows.push(
      row({ name: `1 h of 1080p, ${name}: ${what}`, value: largest(values), unit: 's', ...(atMost && { atMost }) }),
    );
  };
  add(
    'first frame',
    watched.map(({ firstFrameSeconds }) => firstFrameSeconds),
    limits.firstFrame,
  );
  add(
    'playback waits',
    watched.map(({ stalledSeconds }) => stalledSeconds),
    noStallSeconds,
  );
  add(
    'completed',
    outcomes.map(({ seconds }) => seconds.get('hour')!),
    limits.completed,
  );
  return outcomes;
}

earlyPlayback('100 warm tasks', { ...earlyPool, warmTasks: 100 }, { firstFrame: 15, completed: 60 });

/** 10 GB */
const lambdaDollarsPerSecond = 10 * prices.lambda.perGbSecond;
const dollarsOf = ({ taskSeconds, tasks, lambdaSeconds }: Outcome): number =>
  (taskSeconds + tasks * billedStartSeconds) * dollarsPerSecond + lambdaSeconds * lambdaDollarsPerSecond;
const cold = earlyPlayback(
  'cold tasks and a Lambda worker',
  { ...earlyPool, lambdas: 1, secondsPerTask, idleExitSeconds },
  { firstFrame: 15, completed: 120 },
);
/** Without a starter and without a Lambda worker, with fewer tasks that stay longer. */
const before = seeds.map((seed) => {
  const pool = { ...earlyPool, secondsPerTask: 180, idleExitSeconds: 60 };
  return simulate([hour(seed, { withoutStarter: true })], pool, seed);
});
rows.push(
  row({
    name: '1 h of 1080p, cold tasks and a Lambda worker: cost',
    unit: '$',
    ratioAtMost: 1.3,
    value: largest(cold.map(dollarsOf)),
    baseline: largest(before.map(dollarsOf)),
  }),
);

/** A long video while another user uploads a short one every ten seconds: with the rule for urgent jobs and without. */
function urgentBesideLong(): void {
  const long = createUploads(19)({ owner: 'ada', atSeconds: 0, chunks: 400, chunkSeconds: 40, name: 'long' });
  const uploads = [
    long,
    ...Array.from({ length: 60 }, (_, n) =>
      plannedUpload({
        name: `short ${n}`,
        owner: 'ben',
        atSeconds: 10 * n,
        lengthSeconds: 60,
        workers: 20,
        seed: n + 1,
      }),
    ),
  ];
  const took = (ignoresUrgency: boolean) => simulate(uploads, { nodeWorkers: 20, maxTasks: 0, ignoresUrgency });
  const [urgent, usual] = [took(false), took(true)];
  rows.push(
    row({
      name: 'a long video beside 60 urgent starts: completed',
      unit: 's',
      ratioAtMost: 1.03,
      value: urgent.seconds.get('long')!,
      baseline: usual.seconds.get('long')!,
    }),
  );
  const firstFrame = ({ stored }: Outcome): number => {
    const seen = uploads.slice(1).map(({ name }) => watch(stored.get(name)!).firstFrameSeconds);
    return seen.reduce((sum, one) => sum + one, 0) / seen.length;
  };
  rows.push(
    row({
      name: 'first frame of 60 videos beside a long one',
      unit: 's',
      ratioAtMost: 1,
      value: firstFrame(urgent),
      baseline: firstFrame(usual),
    }),
  );
}
urgentBesideLong();

/** The bound of a video's wait while others are uploaded without end: so many seconds for each second of its work. */
const boundPerSecond = 2.5;

/** A long video while 95 % of the workers are needed by short ones without end: with ageing and without. */
function longBesideEndless(whose: string, owner?: string): void {
  const workers = 4;
  const { long, uploads, lastUploadSeconds } = besideEndless({ load: 0.95, workers, ...(owner && { owner }) });
  const took = (ignoresAge: boolean) =>
    simulate(uploads, { nodeWorkers: workers, maxTasks: 0, ignoresAge }).seconds.get('long')!;
  const [aged, starved] = [took(false), took(true)];
  console.log(
    `a long video beside endless uploads of ${whose} at 95 % load: ${Math.round(aged)} s, without ageing ` +
      `${Math.round(starved)} s; the last upload came after ${Math.round(lastUploadSeconds - long.atSeconds)} s`,
  );
  const name = `a long video beside endless uploads of ${whose} at 95 %`;
  rows.push(
    row({
      name: `${name}: completed, by its work`,
      unit: 's',
      ratioAtMost: boundPerSecond,
      value: aged,
      baseline: workSeconds([long]),
    }),
    row({ name: `${name}: beside no ageing`, unit: 's', value: aged, baseline: starved, ratioAtMost: 0.6 }),
  );
}
longBesideEndless('other users');
longBesideEndless('the same user', 'ada');

/** First frames below 80 % load, where ageing must not delay them. */
function firstFramesBesideLong(): void {
  const workers = 10;
  const { short, uploads } = besideEndless({ load: 0.75, workers });
  const firstFrames = (ignoresAge: boolean): number[] => {
    const { stored } = simulate(uploads, { nodeWorkers: workers, maxTasks: 0, ignoresAge });
    return short.map(({ name }) => watch(stored.get(name)!).firstFrameSeconds).toSorted((a, b) => a - b);
  };
  const [aged, usual] = [firstFrames(false), firstFrames(true)];
  for (const [name, part] of [
    ['median', 0.5],
    ['95 % of them', 0.95],
  ] as const) {
    const at = (values: number[]): number => values[Math.floor(part * values.length)]!;
    rows.push(
      row({
        name: `first frames at 75 %: ${name}`,
        unit: 's',
        ratioAtMost: 1.2,
        atMost: 20,
        value: at(aged),
        baseline: at(usual),
      }),
    );
  }
}
firstFramesBesideLong();

console.log(`\n${formatTable(rows)}`);
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
