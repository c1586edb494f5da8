import { prices } from './prices.ts';
import { type TaskSize, taskHourDollars } from './task-hour.ts';

/**
 * The assumptions of the model beside prices and measured CPU seconds. `npm run cost -- --measured` compares those of
 * requests and units with a run.
 */
export const assumptions = {
  /** share of the paid task time that encodes; the rest is start-up, waiting for the store and the last idle minute */
  busyShare: 0.75,
  /**
   * speed of a vCPU of Fargate on arm64 relative to one of the x86-64 machine on which the CPU seconds were measured.
   * Not measured yet: `node lab/bench/encode-cpu.ts` prints it on an arm64 machine
   */
  arm64Speed: 1,
  /** calls of a worker per job, beside progress reports: its result, its stored segments, the wait for the next job */
  callsPerJob: 5.5,
  reportSeconds: 10,
  /** the mean interval of the calls of a fetcher, which finds nothing to do beside a busy worker */
  fetcherSeconds: 17.5,
  /** duration and memory of a function call by a worker or a state */
  functionSeconds: 0.1,
  functionGb: 0.5,
  /** beside the calls of workers and the starts of jobs: upload, states, events of the video */
  invocationsPerVideo: 14,
  /** table units, including indexes and transactions; there are fewer requests */
  writeUnitsPerVideo: 255,
  readUnitsPerVideo: 150,
  writeUnitsPerJob: 39,
  readUnitsPerJob: 6,
  readUnitsPerCall: 3,
  /** of a video that plays while it is encoded: what is stored of its other chunks is read for its playlists */
  readUnitsPerSegment: 37,
  /** states that each video enters once, from CreateVideo to Completed */
  transitionsPerVideo: 22,
  /** source and plans, initialization segments, playlists, images */
  objectsPerVideo: 42,
  /** versions of playlists that grow */
  playlistsPerSegment: 0.9,
  /** of the source, of plans and of results */
  storeReadsPerJob: 10,
  /** lines of functions and workers */
  logKbPerJob: 1,
  /** the lines that Lambda itself writes about an invocation, and the access log about a call; not measured */
  logKbPerInvocation: 0.6,
  logKbPerCall: 0.4,
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

/** What AWS bills for a video beside its task time. Each object that is created is deleted later. */
export type VideoUse = {
  transitions: number;
  /** of workers; those of the uploader are a few */
  apiRequests: number;
  invocations: number;
  writeUnits: number;
  readUnits: number;
  storeWrites: number;
  storeReads: number;
  objects: number;
  logKb: number;
};

/** What processing a video uses, if the tasks run for `taskSeconds`. */
export function videoUse({ chunks, renditions, outputs, ...work }: VideoWork, taskSeconds: number): VideoUse {
  const assumed = assumptions;
  const { manifests, copies } = outputs;
  // A job per rendition, or one for audio only.
  const remuxes = copies * Math.max(1, renditions);
  // Probe, thumbnails and one audio track beside the chunks.
  const jobs = chunks + 3 + remuxes;
  const apiRequests =
    jobs * assumed.callsPerJob + taskSeconds / assumed.reportSeconds + taskSeconds / assumed.fetcherSeconds;
  const invocations = apiRequests + jobs + manifests + copies + assumed.invocationsPerVideo;
  const segments = work.durationSeconds / work.segmentSeconds;
  const played = manifests > 0 && renditions > 0 ? segments : 0;
  // A remuxed segment has its audio in it.
  const segmentFiles = segments * (renditions + 1 + remuxes);
  const objects = assumed.objectsPerVideo + segmentFiles + played * assumed.playlistsPerSegment;
  return {
    // Per chunk its state and the start of its child execution; per output its states, and a state for each remux.
    transitions: assumed.transitionsPerVideo + 2 * chunks + 2 * manifests + 3 * copies + remuxes,
    apiRequests,
    invocations,
    objects,
    writeUnits: assumed.writeUnitsPerVideo + jobs * assumed.writeUnitsPerJob,
    readUnits:
      assumed.readUnitsPerVideo +
      jobs * assumed.readUnitsPerJob +
      apiRequests * assumed.readUnitsPerCall +
      played * assumed.readUnitsPerSegment,
    storeWrites: objects,
    // The headers of each file are read once, and a remux reads a rendition and its audio.
    storeReads: jobs * assumed.storeReadsPerJob + segmentFiles + 2 * segments * remuxes,
    logKb: jobs * assumed.logKbPerJob + invocations * assumed.logKbPerInvocation + apiRequests * assumed.logKbPerCall,
  };
}

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
  const seconds = taskSeconds(work, task);
  const use = videoUse(work, seconds);
  const gbSeconds = use.invocations * assumptions.functionSeconds * assumptions.functionGb;
  return {
    encoding: (seconds / 3600) * taskHourDollars(task, spot),
    stepFunctions: use.transitions * stepFunctions.perTransition,
    functionsAndApi:
      use.invocations * lambda.perRequest + gbSeconds * lambda.perGbSecond + use.apiRequests * httpApi.perRequest,
    table: use.writeUnits * dynamoDb.perWriteUnit + use.readUnits * dynamoDb.perReadUnit,
    storeRequests: use.storeWrites * s3.perPut + use.storeReads * s3.perGet,
    // The bucket sends the events of all objects, also those that no rule matches.
    storeEvents: use.objects * eventsPerObject * s3.perEvent,
    logs: (use.logKb / 1e6) * cloudWatch.logGb,
  };
}

/** its creation and its deletion */
const eventsPerObject = 2;

export const dollarsOf = (cost: Readonly<Record<string, number>>): number =>
  Object.values(cost).reduce((sum, dollars) => sum + dollars, 0);

/** Billed task seconds, on arm64 as the prices. */
const taskSeconds = ({ cpuSeconds }: VideoWork, { cpuUnits }: TaskSize): number =>
  cpuSeconds / assumptions.arm64Speed / (cpuUnits / 1024) / assumptions.busyShare;
