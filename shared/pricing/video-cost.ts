import { prices } from './prices.ts';
import { type TaskSize, taskHourDollars } from './task-hour.ts';

/** The assumptions of the model beside prices and measured CPU seconds. */
export const assumptions = {
  /** share of the paid task time that encodes; the rest is start-up, waiting for the store and the last idle minute */
  busyShare: 0.75,
  /**
   * speed of a vCPU of Fargate on arm64 relative to one of the x86-64 machine on which the CPU seconds were measured.
   * Not measured yet: `node test/bench/encode-cpu.ts` prints it on an arm64 machine
   */
  arm64Speed: 1,
  /** calls of a worker per job, beside progress reports */
  callsPerJob: 2,
  reportSeconds: 10,
  /** the mean interval of the calls of a fetcher, which finds nothing to do beside a busy worker */
  fetcherSeconds: 17.5,
  /** duration and memory of a function call by a worker or a state */
  functionSeconds: 0.1,
  functionGb: 0.5,
  /** table units per job, including indexes and transactions; there are fewer requests */
  writeUnitsPerJob: 16,
  readUnitsPerJob: 20,
  /** states that each video enters once, from CreateVideo to Completed */
  transitionsPerVideo: 17,
  logKbPerJob: 8,
} as const;

/** What is processed for one video. */
export type VideoWork = {
  durationSeconds: number;
  cpuSeconds: number;
  chunks: number;
  /** encoded video streams */
  renditions: number;
  segmentSeconds: number;
  /** outputs that are manifests over the encoded segments, and outputs that are remuxed */
  outputs: { manifests: number; copies: number };
};

/** Costs in dollars by item. */
export type VideoCost = {
  encoding: number;
  stepFunctions: number;
  functionsAndApi: number;
  table: number;
  storeRequests: number;
  storeEvents: number;
  logs: number;
};

/**
 * The costs of processing a video on Fargate, without storage and delivery.
 * @param spot share of the tasks that run on Spot, 0 to 1
 */
export function videoCost(work: VideoWork, task: TaskSize, spot: number): VideoCost {
  const { stepFunctions, lambda, httpApi, dynamoDb, s3, cloudWatch } = prices;
  const { chunks, renditions } = work;
  const { manifests, copies } = work.outputs;
  // probe, thumbnails and one audio track beside the chunks; remuxing is a job per rendition, or one for audio only
  const jobs = chunks + 3 + copies * Math.max(1, renditions);
  const taskHours = taskSeconds(work, task) / 3600;
  // per chunk its state and the start of its child execution; per output its states
  const transitions = assumptions.transitionsPerVideo + 2 * chunks + 2 * manifests + 4 * copies;
  const seconds = taskHours * 3600;
  const calls =
    jobs * assumptions.callsPerJob + seconds / assumptions.reportSeconds + seconds / assumptions.fetcherSeconds;
  const invocations = calls + transitions;
  const gbSeconds = invocations * assumptions.functionSeconds * assumptions.functionGb;
  const segments = ((renditions + 1) * work.durationSeconds) / work.segmentSeconds;
  return {
    encoding: taskHours * taskHourDollars(task, spot),
    stepFunctions: transitions * stepFunctions.perTransition,
    functionsAndApi: invocations * lambda.perRequest + gbSeconds * lambda.perGbSecond + calls * httpApi.perRequest,
    table:
      jobs *
      (assumptions.writeUnitsPerJob * dynamoDb.perWriteUnit + assumptions.readUnitsPerJob * dynamoDb.perReadUnit),
    storeRequests: segments * (1 + copies) * s3.perPut + (jobs * 20 + segments * copies) * s3.perGet,
    // The bucket sends the events of all objects, also those that no rule matches.
    storeEvents: segments * (1 + copies) * eventsPerObject * s3.perEvent,
    logs: ((jobs * assumptions.logKbPerJob) / 1e6) * cloudWatch.logGb,
  };
}

/** its creation and its deletion */
const eventsPerObject = 2;

export const dollarsOf = (cost: Readonly<Record<string, number>>): number =>
  Object.values(cost).reduce((sum, dollars) => sum + dollars, 0);

/** Billed task seconds, on arm64 as the prices. */
const taskSeconds = ({ cpuSeconds }: VideoWork, { cpuUnits }: TaskSize): number =>
  cpuSeconds / assumptions.arm64Speed / (cpuUnits / 1024) / assumptions.busyShare;
