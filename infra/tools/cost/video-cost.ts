import { defaults } from '../../../shared/defaults.ts';
import { prices } from '../../pricing/prices.ts';
import { type TaskSize, taskHourDollars } from '../../pricing/task-hour.ts';
import type { Workload } from './workloads.ts';

/** What the model takes for granted, beside prices and measured CPU seconds. */
export const assumptions = {
  /** seconds of source in a chunk */
  chunkSeconds: defaults.chunkSeconds,
  /** part of the paid processor time that encodes: the rest is starting, waiting for the store, and the last idle minute */
  busyShare: 0.75,
  /** calls of a worker for each job, beside its reports */
  callsPerJob: 2,
  reportSeconds: 10,
  /** of a function that answers a worker or a state */
  functionSeconds: 0.1,
  functionGb: 0.5,
  /** units of the table for each job, indexes and transactions counted; requests are fewer */
  writeUnitsPerJob: 16,
  readUnitsPerJob: 20,
  /** states that each video passes once, from CreateVideo to Completed */
  transitionsPerVideo: 17,
  logKbPerJob: 8,
} as const;

/** Dollars by what they are paid for. */
export type VideoCost = {
  encoding: number;
  stepFunctions: number;
  functionsAndApi: number;
  table: number;
  storeRequests: number;
  logs: number;
};

/**
 * Dollars of making a video of `minutes` of source on Fargate. Storage and delivery are paid by the month and by the viewer, and not in it.
 * @param spot part of the tasks that runs as Spot, 0 to 1
 */
export function videoCost(workload: Workload, minutes: number, task: TaskSize, spot: number): VideoCost {
  const { stepFunctions, lambda, httpApi, dynamoDb, s3, cloudWatch } = prices;
  const chunks = workload.heights.length > 0 ? Math.ceil((minutes * 60) / assumptions.chunkSeconds) : 0;
  const { manifests, copies } = workload.outputs;
  // probe, thumbnails and one audio track beside the chunks; a copy is a job for each rendition, or for the sound alone
  const jobs = chunks + 3 + copies * Math.max(1, workload.heights.length);
  const taskHours = taskSeconds(workload, minutes, task) / 3600;
  // of a chunk its own state and the start of its execution; of an output what leads to it
  const transitions = assumptions.transitionsPerVideo + 2 * chunks + 2 * manifests + 4 * copies;
  const calls = jobs * assumptions.callsPerJob + (taskHours * 3600) / assumptions.reportSeconds;
  const invocations = calls + transitions;
  const gbSeconds = invocations * assumptions.functionSeconds * assumptions.functionGb;
  const segments = ((workload.heights.length + 1) * minutes * 60) / workload.segmentSeconds;
  return {
    encoding: taskHours * taskHourDollars(task, spot),
    stepFunctions: transitions * stepFunctions.perTransition,
    functionsAndApi: invocations * lambda.perRequest + gbSeconds * lambda.perGbSecond + calls * httpApi.perRequest,
    table:
      jobs *
      (assumptions.writeUnitsPerJob * dynamoDb.perWriteUnit + assumptions.readUnitsPerJob * dynamoDb.perReadUnit),
    storeRequests: segments * (1 + copies) * s3.perPut + (jobs * 20 + segments * copies) * s3.perGet,
    logs: ((jobs * assumptions.logKbPerJob) / 1e6) * cloudWatch.logGb,
  };
}

export const dollarsOf = (cost: Readonly<Record<string, number>>): number =>
  Object.values(cost).reduce((sum, dollars) => sum + dollars, 0);

/** Seconds that tasks are paid for. */
const taskSeconds = ({ cpuSecondsPerMinute }: Workload, minutes: number, { cpuUnits }: TaskSize): number =>
  (cpuSecondsPerMinute * minutes) / (cpuUnits / 1024) / assumptions.busyShare;

/**
 * Dollars of the same renditions of AVC by AWS Elemental MediaConvert's basic tier; null for other codecs, which it does not know or bills by factors. Below 720 lines is SD, up to
 * 1,080 HD.
 */
export function mediaConvertDollars({ codec, heights }: Workload, minutes: number): number | null {
  if (codec !== 'h264') return null;
  const { sdMinute, hdMinute, uhdMinute } = prices.mediaConvert;
  const perMinute = heights.map((height) => (height < 720 ? sdMinute : height <= 1080 ? hdMinute : uhdMinute));
  return perMinute.reduce((sum: number, dollars) => sum + dollars, 0) * minutes;
}
