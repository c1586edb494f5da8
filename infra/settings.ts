import { z } from 'zod';
import { memoryProblem } from './fargate-memory.ts';

export const stages = ['local', 'dev', 'prod'] as const;
export type Stage = (typeof stages)[number];

const days = z.int().positive();
const seconds = z.int().positive();

/** What an operator may change, with the values of `dev`. Unknown names are refused, so that a misspelt setting cannot be silently the default. */
const settingsSchema = z.strictObject({
  /** Table, bucket and keys outlive the stack, and the table refuses to be deleted. */
  keepData: z.boolean().default(false),
  /** Table and bucket carry the fixed name `video-service-<stage>`; in a real account names are left to CloudFormation, since buckets are named world-wide. */
  fixedNames: z.boolean().default(false),
  /** Origins whose pages may call the API with credentials and send parts to the bucket, such as `https://app.example.com`. Empty: none but the API's own. */
  allowedOrigins: z.array(z.string().regex(/^https?:\/\/[^/*]+(:\*)?$/)).default([]),
  /** Anyone may make an account by `POST /register`. */
  registration: z.boolean().default(true),
  /** Lines below it are not written, nor are the service's own metrics above INFO: they are log lines. */
  logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).default('INFO'),
  /** Log groups keep their lines this long; one of the values CloudWatch Logs knows. */
  logRetentionDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]).default(30),
  /** Requests a second that the gateway lets through for the whole stage, and what it lets through at once. */
  requestsPerSecond: z.int().positive().default(500),
  requestBurst: z.int().positive().default(1000),
  /** Executions that may run at a time; a video above it waits as `pending`. An account may have 1,000 map runs open. */
  maxRunningExecutions: z.int().min(1).max(900).default(200),
  /** Chunks of one video that may be queued or encoded at a time: twice as many as there are workers, so that one that ends a chunk finds the next. */
  maxChunksAtOnce: z.int().min(1).max(10_000).default(2000),
  /** Backstop for one worker job, its wait in the queue included; the worker's own limits are far narrower. */
  jobTimeoutSeconds: seconds.default(24 * 3600),
  /** Backstop for one video. Stays below the seven days after which the work files expire. */
  executionTimeoutSeconds: seconds.max(6 * 24 * 3600).default(3 * 24 * 3600),
  workers: z
    .strictObject({
      /** Fargate tasks that may run at a time. 0: only registered nodes encode. */
      maxTasks: z.int().nonnegative().default(20),
      /** Part of the tasks that is asked for as Spot, 0 to 1. */
      spotTaskShare: z.number().min(0).max(1).default(0.8),
      /** Queued seconds of work that are worth one more task; a task takes about 60 s to start. */
      secondsPerTask: seconds.default(180),
      /** A worker without a job asks again after this long. A call costs a request in the cloud and nothing on one machine. */
      idleSyncMs: z.int().positive().default(1000),
      /** A worker with a job reports its progress this often; its lease lives 45 s and more without a report. */
      busySyncMs: z.int().positive().max(10_000).default(10_000),
      /** A job's progress is shown when it has grown by this much; 1 shows whole jobs only. Each time is two writes. */
      progressStep: z.number().positive().max(1).default(1),
      /** A worker without a job leaves after this long. */
      idleExitSeconds: seconds.default(60),
      architecture: z.enum(['arm64', 'x86_64']).default('arm64'),
      /** 1,024 are one vCPU; memory must be one of the sizes that Fargate offers for it. */
      cpuUnits: z.literal([1024, 2048, 4096, 8192, 16384]).default(4096),
      memoryMib: z.int().min(2048).default(8192),
      /** Scratch space of a task: the files of one job. Fargate gives 21 to 200. */
      scratchGib: z.int().min(21).max(200).default(50),
      /** An image in a registry, by digest; null builds `encoder-task/Dockerfile` at deploy time. */
      image: z.string().min(1).nullable().default(null),
    })
    .check(({ value: { cpuUnits, memoryMib }, issues }) => {
      const message = memoryProblem(cpuUnits, memoryMib);
      if (message) issues.push({ code: 'custom', message, path: ['memoryMib'], input: memoryMib });
    })
    .prefault({}),
  nodes: z
    .strictObject({
      /** A node may have a loopback address: the machine that everything runs on. */
      allowLoopback: z.boolean().default(false),
      /** The image of worker nodes by its digest, for every architecture they have; null: that of the Fargate workers. */
      workerImage: z
        .string()
        .regex(/@sha256:[0-9a-f]{64}$/)
        .nullable()
        .default(null),
      /** The image of proxy nodes, likewise; null: that of `infra/proxy`, built at deploy time for `workers.architecture`. */
      proxyImage: z
        .string()
        .regex(/@sha256:[0-9a-f]{64}$/)
        .nullable()
        .default(null),
      /** Told by the certificate authority when a certificate of a proxy runs out. */
      certificateEmail: z.email().nullable().default(null),
      /** Null: Let's Encrypt. */
      acmeDirectory: z.url().nullable().default(null),
    })
    .prefault({}),
  /** A name of your own for the API, with a certificate of the same region; null keeps the name that API Gateway gives. */
  domain: z
    .strictObject({ name: z.string().min(1), certificateArn: z.string().startsWith('arn:') })
    .nullable()
    .default(null),
  /** Gets a mail for each alarm; null: alarms only show in the console. */
  alarmEmail: z.email().nullable().default(null),
  /** Unfinished uploads and work files are removed after this long. */
  workFileDays: days.default(7),
  /** Access logs of the proxies are kept this long after they were counted. */
  accessLogDays: days.default(90),
});
export type Settings = z.output<typeof settingsSchema> & { stage: Stage };

type Overrides = z.input<typeof settingsSchema>;

const differences: Record<Stage, Overrides> = {
  local: {
    fixedNames: true,
    allowedOrigins: ['http://localhost:*', 'http://127.0.0.1:*'],
    maxRunningExecutions: 20,
    jobTimeoutSeconds: 6 * 3600,
    nodes: { allowLoopback: true },
    workers: { secondsPerTask: 1, spotTaskShare: 0, busySyncMs: 1000, progressStep: 0.02 },
  },
  dev: {},
  prod: { keepData: true, registration: false, logRetentionDays: 90, workers: { maxTasks: 100 } },
};

/**
 * The settings of a stage: the defaults, what differs in the stage, then `overrides`: an object under the stage's name in the context of
 * cdk.json, or the same as JSON by `-c <stage>='{…}'`.
 * @throws when the stage or a setting is unknown or a value is outside its bounds
 */
export function settingsOf(stage: string, overrides: unknown = {}): Settings {
  const known = stages.find((name) => name === stage);
  if (!known) throw new Error(`the stage is one of ${stages.join(', ')}, not ${stage}`);
  const base = differences[known];
  const given = parsed(known, overrides);
  const settings = settingsSchema.safeParse({
    ...base,
    ...given,
    workers: within(base.workers, given.workers),
    nodes: within(base.nodes, given.nodes),
  });
  if (!settings.success) throw new Error(`settings of ${known}: ${z.prettifyError(settings.error)}`);
  return { ...settings.data, stage: known };
}

/** What is no object is left for the schema to refuse. */
const within = (base: object | undefined, given: unknown): unknown =>
  given === undefined || isObject(given) ? { ...base, ...given } : given;

function parsed(stage: Stage, overrides: unknown): Record<string, unknown> {
  const value = typeof overrides === 'string' ? parsedJson(stage, overrides) : overrides;
  if (!isObject(value))
    throw new Error(`settings of ${stage}: they are an object, such as {"alarmEmail":"ops@example.com"}`);
  return value;
}

function parsedJson(stage: Stage, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`settings of ${stage}: ${text} is no JSON: ${(error as Error).message}`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
