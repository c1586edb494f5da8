import { isStraggler } from '../../functions/queue/stragglers/straggler.ts';
import { launchCount, launchRounds } from '../../functions/workers/launch-count.ts';
import { isLeftToNodes } from '../../functions/workers/overflow.ts';
import { createRandom, createTimeline } from './events.ts';
import type { StoredAt, StoredTrack } from './planned-upload.ts';
import { createQueue, type QueueJob } from './queue.ts';
import { countCalls } from './store-calls.ts';
import { type SimulatedJob, type Upload, workSeconds } from './workload.ts';

/** Measured or configured durations in seconds. */
const times = {
  syncSeconds: 0.1,
  idlePollSeconds: 5,
  busyCallSeconds: 10,
  keepSeconds: 30,
  coldStartSeconds: 45,
  coldStartSpreadSeconds: 20,
  /** RunTask for ten tasks */
  runTaskSeconds: 0.5,
  planSeconds: 1.5,
  /** between two chunks that the map queues */
  enqueueSeconds: 0.004,
  publishSeconds: 2,
  idleExitSeconds: 60,
  lambdaStartSeconds: 3,
  lambdaPollSeconds: 0.5,
  lambdaIdleSeconds: 10,
  tickSeconds: 60,
  /** the lease of a silent worker expires; a check every 15 s finds it, and the next state queues its job */
  loseSeconds: 45,
  loseSpreadSeconds: 45,
  retrySeconds: 1,
};
const chunksAtOnce = 2000;
const slowHostTimes = 8;

export type Pool = {
  nodeWorkers: number;
  maxTasks: number;
  /** tasks that run from the beginning */
  warmTasks?: number;
  secondsPerTask?: number;
  /** the fraction of workers that are lost at a random time of the first hour */
  lostShare?: number;
  /** the fraction of chunks on a host that is eight times slower */
  slowShare?: number;
  /** invocations of the early worker, started by the first upload: each has two workers, for urgent jobs only */
  lambdas?: number;
  /** all jobs wait for their turn, as without the rule for urgent jobs */
  ignoresUrgency?: boolean;
  /** jobs do not age while they wait */
  ignoresAge?: boolean;
  idlePollSeconds?: number;
  idleExitSeconds?: number;
};

type Video = { upload: Upload; next: number; left: number; virtualTimeSeconds: number; took: number[] };
type Job = QueueJob & {
  video: Video;
  work: SimulatedJob;
  isDone: boolean;
  isSpare: boolean;
  holders: Map<Worker, number>;
};
type Worker = {
  isTask: boolean;
  isLambda: boolean;
  isAlive: boolean;
  /** the first worker of the invocation, with which its second one ends */
  helps?: Worker;
  job?: Job;
  idleSince: number;
  startedAt: number;
};

export type Outcome = {
  makespanSeconds: number;
  /** from upload to playing, by the name of the video */
  seconds: Map<string, number>;
  taskSeconds: number;
  tasks: number;
  calls: { reads: number; writes: number; itemsWritten: number };
  jobs: number;
  lost: number;
  spares: number;
  lambdaSeconds: number;
  /** when the segments of a video were stored, by its name */
  stored: Map<string, StoredAt>;
};

/** A worker reports its segments once a second. */
const reportSeconds = 1;

/** The segments of a job are stored evenly over its time. */
function recordStored(
  stored: StoredTrack,
  [from, to]: readonly [number, number],
  { atSeconds, seconds }: { atSeconds: number; seconds: number },
): void {
  if (from === 0) stored.startedAt = Math.min(atSeconds, stored.startedAt);
  for (let n = from; n < to; n++) {
    const at = atSeconds + (seconds * (n + 1 - from)) / (to - from) + reportSeconds;
    stored.segments.set(n, Math.min(at, stored.segments.get(n) ?? Number.POSITIVE_INFINITY));
  }
}

/** Processes the uploads in the pool with the service's scheduling code and returns the results. */
export function simulate(uploads: readonly Upload[], pool: Pool, seed = 1): Outcome {
  const random = createRandom(seed);
  const timeline = createTimeline();
  const { now, after } = timeline;
  const calls = countCalls();
  const queue = createQueue<Job>(now, calls, { ignoresAge: pool.ignoresAge });
  const workers = new Set<Worker>();
  /** running jobs that take longer than expected */
  const slow = new Set<Job>();
  const outcome = {
    seconds: new Map<string, number>(),
    stored: new Map<string, StoredAt>(),
    taskSeconds: 0,
    lambdaSeconds: 0,
    tasks: 0,
    jobs: 0,
    lost: 0,
    spares: 0,
  };
  const { idlePollSeconds = times.idlePollSeconds, idleExitSeconds = times.idleExitSeconds } = pool;
  let makespanSeconds = 0;
  let starting = 0;

  const alive = (isTask: boolean): Worker[] => [...workers].filter((worker) => worker.isTask === isTask);

  function addWorker(isTask: boolean, isLambda = false, helps?: Worker): Worker {
    const worker: Worker = {
      isTask,
      isLambda,
      isAlive: true,
      idleSince: now(),
      startedAt: now(),
      ...(helps && { helps }),
    };
    workers.add(worker);
    if (random() < (pool.lostShare ?? 0)) after(3600 * random(), () => lose(worker));
    const isWarm = now() === 0;
    after((isTask && !isWarm) || isLambda ? 0 : idlePollSeconds * random(), () => poll(worker));
    return worker;
  }

  function remove(worker: Worker): void {
    if (!workers.delete(worker)) return;
    worker.isAlive = false;
    if (worker.isTask) outcome.taskSeconds += now() - worker.startedAt;
    const isPaid = worker.isLambda && ![...workers].some((other) => other.helps === worker || other === worker.helps);
    if (isPaid) outcome.lambdaSeconds += now() - worker.startedAt;
  }

  function launch(upcoming = { jobs: 0, seconds: 0 }): void {
    const { jobs, seconds } = queue.size();
    const tasks = alive(true);
    const wanted = launchCount({
      queuedJobs: jobs + upcoming.jobs,
      queuedSeconds: seconds + upcoming.seconds,
      nodeCapacity: alive(false).filter(({ isLambda }) => !isLambda).length,
      secondsPerTask: pool.secondsPerTask ?? 180,
      idleTasks: starting + tasks.filter(({ job }) => !job).length,
      runningTasks: starting + tasks.length,
      maxTasks: pool.maxTasks,
    });
    starting += wanted;
    outcome.tasks += wanted;
    for (const [round, calls] of launchRounds(wanted).entries()) {
      for (let n = 0; n < calls.reduce((sum, tasks) => sum + tasks, 0); n++) {
        const seconds = round * times.runTaskSeconds + times.coldStartSeconds + times.coldStartSpreadSeconds * random();
        after(seconds, () => {
          starting--;
          addWorker(true);
        });
      }
    }
  }

  function poll(worker: Worker): void {
    if (!worker.isAlive || worker.job) return;
    const job = queue.take(mayTake(worker)) ?? (worker.isLambda ? undefined : spareFor(worker));
    if (job) start(worker, job);
    else if (worker.isTask && now() - worker.idleSince >= idleExitSeconds) remove(worker);
    else if (worker.isLambda && isOver(worker)) remove(worker);
    else after(worker.isLambda ? times.lambdaPollSeconds : idlePollSeconds, () => poll(worker));
  }

  const isOver = ({ helps, idleSince }: Worker): boolean =>
    helps ? !helps.isAlive : now() - idleSince >= times.lambdaIdleSeconds;

  function mayTake(worker: Worker): (job: Job) => boolean {
    if (worker.isLambda) return ({ isUrgent }) => isUrgent;
    if (!worker.isTask || pool.nodeWorkers === 0) return () => true;
    const freeNodeSlots = alive(false).filter(({ job }) => !job).length;
    const queuedJobs = queue.size().jobs;
    return ({ queuedAtSeconds }) =>
      freeNodeSlots === 0 || !isLeftToNodes({ freeNodeSlots, queuedJobs, waitedSeconds: now() - queuedAtSeconds });
  }

  function spareFor(idle: Worker): Job | undefined {
    for (const job of slow) {
      const isRunning = [...job.holders.keys()].some((holder) => holder.isAlive && holder.job === job);
      if (job.isDone || job.isSpare || !isRunning) slow.delete(job);
      if (job.isDone || job.isSpare || !isRunning || job.holders.has(idle)) continue;
      const runningSeconds = now() - Math.max(...job.holders.values());
      if (!isStraggler({ runningSeconds, estimateSeconds: job.estimateSeconds, siblingSeconds: job.video.took }))
        continue;
      job.isSpare = true;
      outcome.spares++;
      return job;
    }
    return undefined;
  }

  function start(worker: Worker, job: Job): void {
    worker.job = job;
    job.holders.set(worker, now());
    const slowdown = random() < (pool.slowShare ?? 0) ? slowHostTimes : 1;
    const { seconds: taskSeconds, lambdaSeconds = taskSeconds, stores } = job.work;
    const seconds = (worker.isLambda ? lambdaSeconds : taskSeconds) * slowdown + times.syncSeconds;
    const { name, atSeconds } = job.video.upload;
    if (stores) recordStored(storedOf(name)[stores.track], stores.segments, { atSeconds: now() - atSeconds, seconds });
    // A little later than the limit, which it has to exceed.
    const slowSeconds = 3 * job.estimateSeconds + 0.001;
    if (seconds > slowSeconds) after(slowSeconds, () => slow.add(job));
    calls.note('running', Math.floor(seconds / times.busyCallSeconds));
    calls.note('keep', Math.floor(seconds / times.keepSeconds));
    after(seconds, () => finish(worker, job));
  }

  function storedOf(name: string): StoredAt {
    const nothing = (): StoredTrack => ({ startedAt: Number.POSITIVE_INFINITY, segments: new Map() });
    const known = outcome.stored.get(name) ?? { starter: nothing(), audio: nothing() };
    outcome.stored.set(name, known);
    return known;
  }

  function finish(worker: Worker, job: Job): void {
    if (!worker.isAlive || worker.job !== job) return;
    if (!job.isDone) {
      job.isDone = true;
      calls.note('done');
      job.video.took.push(now() - job.holders.get(worker)!);
      for (const other of job.holders.keys()) {
        if (other !== worker) after(times.busyCallSeconds * random(), () => release(other, job));
      }
      ended(job);
    }
    release(worker, job);
  }

  function release(worker: Worker, job: Job): void {
    if (!worker.isAlive || worker.job !== job) return;
    delete worker.job;
    worker.idleSince = now();
    poll(worker);
  }

  function lose(worker: Worker): void {
    if (!worker.isAlive) return;
    const { job } = worker;
    remove(worker);
    outcome.lost++;
    if (!job) return;
    after(times.loseSeconds + times.loseSpreadSeconds * random() + times.retrySeconds, () => {
      if (job.isDone || [...job.holders.keys()].some((holder) => holder.isAlive && holder.job === job)) return;
      calls.note('lost');
      job.isSpare = false;
      queue.add(Object.assign(job, { queuedAtSeconds: now() }));
    });
  }

  function enqueue(video: Video, work: SimulatedJob, aheadSeconds: number): void {
    const { estimateSeconds } = work;
    const isUrgent = work.isUrgent === true && !pool.ignoresUrgency;
    const virtualTimeSeconds = video.virtualTimeSeconds + aheadSeconds;
    outcome.jobs++;
    queue.add({
      owner: video.upload.owner,
      virtualTimeSeconds,
      estimateSeconds,
      isUrgent,
      queuedAtSeconds: now(),
      video,
      work,
      isDone: false,
      isSpare: false,
      holders: new Map(),
    });
  }

  function enqueueNextChunk(video: Video): void {
    const index = video.next++;
    const chunk = video.upload.chunks[index];
    if (chunk) enqueue(video, chunk, chunk.aheadSeconds ?? index * chunk.estimateSeconds);
  }

  function ended({ video }: Job): void {
    const { chunks } = video.upload;
    if (video.left === chunks.length + 1) {
      video.took.length = 0;
      after(times.planSeconds, () => {
        launch({ jobs: chunks.length, seconds: chunks.reduce((sum, chunk) => sum + chunk.estimateSeconds, 0) });
        for (let n = 0; n < Math.min(chunks.length, chunksAtOnce); n++) {
          after(n * times.enqueueSeconds, () => enqueueNextChunk(video));
        }
      });
    } else after(times.retrySeconds, () => enqueueNextChunk(video));
    if (--video.left === 0) {
      after(times.publishSeconds, () => {
        makespanSeconds = now();
        outcome.seconds.set(video.upload.name, now() - video.upload.atSeconds);
      });
    }
  }

  for (let n = 0; n < pool.nodeWorkers; n++) addWorker(false);
  for (let n = 0; n < (pool.warmTasks ?? 0); n++) addWorker(true);
  for (let n = 0; n < (pool.lambdas ?? 0); n++) {
    after(uploads[0]!.atSeconds + times.lambdaStartSeconds, () => addWorker(false, true, addWorker(false, true)));
  }
  for (const upload of uploads) {
    after(upload.atSeconds, () => {
      const virtualTimeSeconds = queue.findVirtualTime(upload.owner);
      const video = { upload, next: 0, left: upload.chunks.length + 1, virtualTimeSeconds, took: [] };
      enqueue(video, { estimateSeconds: 10, seconds: upload.probeSeconds, isUrgent: true }, 0);
      launch();
    });
  }
  const tick = (): void => {
    launch();
    after(times.tickSeconds, tick);
  };
  tick();
  timeline.run(() => outcome.seconds.size === uploads.length);
  // The tasks are billed until they exit.
  for (const worker of alive(true)) outcome.taskSeconds += now() - worker.startedAt + (pool.idleExitSeconds ?? 0);
  return { ...outcome, makespanSeconds, calls: calls.total };
}

/** The completion time if all tasks started with the first upload, none were lost and no worker ever idled. */
export function lowerBoundSeconds(uploads: readonly Upload[], { nodeWorkers, maxTasks }: Pool): number {
  const work = workSeconds(uploads);
  const coldStartSeconds = times.coldStartSeconds + times.coldStartSpreadSeconds / 2;
  const readySeconds = [
    ...Array.from({ length: nodeWorkers }, () => 0),
    ...Array.from({ length: maxTasks }, (_, n) => coldStartSeconds + Math.floor(n / 10) * times.runTaskSeconds),
  ];
  let [low, high] = [0, work + coldStartSeconds];
  while (high - low > 0.1) {
    const middle = (low + high) / 2;
    const done = readySeconds.reduce((sum, ready) => sum + Math.max(0, middle - ready), 0);
    if (done < work) low = middle;
    else high = middle;
  }
  const first = Math.min(...uploads.map(({ atSeconds }) => atSeconds));
  const last = uploads.map(({ atSeconds, chunks }) => atSeconds + Math.max(...chunks.map(({ seconds }) => seconds)));
  return Math.max(first + low, ...last);
}
