import { z } from 'zod';
import { memoryProblem } from './fargate-memory.ts';

/** The stages with defaults of their own. A stage of another name has those of `dev`. */
export const stages = ['local', 'dev', 'prod'] as const;

/** Names of stages are parts of resource names: at most 20 characters keep those within AWS's limits. */
const stageName = /^[a-z][a-z0-9]{0,19}$/;

const days = z.int().positive();
const seconds = z.int().positive();

/**
 * The settings of a stage with their defaults, which are the values of `dev`. Unknown names are refused: a misspelt
 * setting would otherwise silently keep its default.
 */
const settingsSchema = z.strictObject({
  /** Table, bucket and keys are retained when the stack is deleted, and the table has deletion protection. */
  keepData: z.boolean().default(false),
  /**
   * CloudFormation refuses to delete the stack. Set it after the first successful deployment: the CDK sets it before it
   * creates the resources, and a failed first deployment can only be repeated after the stack is deleted.
   */
  terminationProtection: z.boolean().default(false),
  /**
   * Table and bucket have the fixed name `video-service-<stage>`. In an AWS account CloudFormation chooses the names,
   * because bucket names are global.
   */
  fixedNames: z.boolean().default(false),
  /**
   * Origins whose pages may call the API with credentials and upload to the bucket, such as `https://app.example.com`.
   * Empty: only the origin of the API.
   */
  allowedOrigins: z.array(z.string().regex(/^https?:\/\/[^/*]+(:\*)?$/)).default([]),
  /** Anyone can create an account with `POST /register`. Otherwise only administrators create users. */
  registration: z.boolean().default(false),
  /** The lowest level that is logged. Above INFO there are no metrics of the service either: they are log lines. */
  logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).default('INFO'),
  /**
   * X-Ray traces of functions and of the state machine. They cost $5 per million, which on a busy stage is the largest
   * item after encoding, the table and logs. Switch them on for a while to see where a request or a run takes time.
   */
  tracing: z.boolean().default(false),
  /** Retention of the log groups; one of the values that CloudWatch Logs supports. */
  logRetentionDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]).default(30),
  /** Rate limit and burst limit of the gateway for all requests but those of workers. */
  requestsPerSecond: z.int().positive().default(500),
  requestBurst: z.int().positive().default(1000),
  /** Concurrent executions; further videos are `pending`. An account may have 1,000 open map runs. */
  maxRunningExecutions: z.int().min(1).max(900).default(200),
  /** Chunks of one video that are queued or leased at a time: twice the number of workers, so that none runs idle. */
  maxChunksAtOnce: z.int().min(1).max(10_000).default(2000),
  /** Time limit of a job, including its time in the queue. The worker's own limits are much lower. */
  jobTimeoutSeconds: seconds.default(24 * 3600),
  /** Time limit of an execution. It must be below the seven days after which work files expire. */
  executionTimeoutSeconds: seconds.max(6 * 24 * 3600).default(3 * 24 * 3600),
  workers: z
    .strictObject({
      /** Concurrent Fargate tasks. 0: only registered nodes encode. */
      maxTasks: z.int().nonnegative().default(20),
      /** Share of the tasks that run on Spot, 0 to 1. */
      spotTaskShare: z.number().min(0).max(1).default(0.8),
      /** Seconds of queued work for which one more task is started. A task takes about 60 s to start. */
      secondsPerTask: seconds.default(75),
      /**
       * Rate limit and burst limit of the gateway for the calls of workers, `sync` and `files` each. The rates of both
       * and `requestsPerSecond` together should be below the quota of the AWS account, as should the bursts: otherwise
       * workers can use up what is for users. A new account has 10,000 requests per second and a burst of 5,000.
       */
      requestsPerSecond: z.int().positive().default(2000),
      requestBurst: z.int().positive().default(1500),
      /** The interval at which an idle worker calls. On AWS each call costs an API request. */
      idleSyncMs: z.int().positive().default(1000),
      /** The interval at which a busy worker reports progress. Its lease lasts 45 s or more without a report. */
      busySyncMs: z.int().positive().max(10_000).default(10_000),
      /**
       * The progress of a job is stored in steps of this size; 1 stores finished jobs only. Each step is two writes.
       */
      progressStep: z.number().positive().max(1).default(1),
      /** An idle worker exits after this time. */
      idleExitSeconds: seconds.default(30),
      architecture: z.enum(['arm64', 'x86_64']).default('arm64'),
      /**
       * Zones in which tasks run. Capacity is limited by zone, above all that of Spot, and a zone costs nothing. Some
       * regions have only two.
       */
      zones: z.int().min(1).max(6).default(2),
      /** 1,024 units are one vCPU. Fargate offers certain memory sizes for each. */
      cpuUnits: z.literal([1024, 2048, 4096, 8192, 16384]).default(4096),
      memoryMib: z.int().min(2048).default(8192),
      /** Scratch space of a task, for the files of one job. Fargate offers 21 to 200 GiB. */
      scratchGib: z.int().min(21).max(200).default(50),
      /**
       * An image in a registry, by digest. Null: `encoder-task/Dockerfile` is built at deployment. With a digest of the
       * stage's own repository, such as that of an image with a SOCI index, the image for other workers is still built.
       */
      image: z.string().min(1).nullable().default(null),
    })
    .check(({ value: { cpuUnits, memoryMib }, issues }) => {
      const message = memoryProblem(cpuUnits, memoryMib);
      if (message) issues.push({ code: 'custom', message, path: ['memoryMib'], input: memoryMib });
    })
    .prefault({}),
  /**
   * A Lambda function from the image of the workers, which runs the first jobs of a video within seconds while no other
   * worker is ready. Not with a `workers.image` of another registry: a function cannot run it.
   */
  earlyWorker: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Invocations at a time. They are reserved: the account's other functions have this many fewer. */
      maxConcurrency: z.int().min(1).max(1000).default(10),
    })
    .prefault({}),
  nodes: z
    .strictObject({
      /** Nodes may have a loopback address, for a service that runs on one machine. */
      allowLoopback: z.boolean().default(false),
      /**
       * Nodes may have an IPv6 address. Functions on AWS have no outgoing IPv6 connections, so their nodes have IPv4
       * addresses; on one machine the functions use its network.
       */
      allowIpv6: z.boolean().default(false),
      /**
       * SSH connections to nodes come from one fixed address, an output of the stack, through a NAT gateway that is
       * paid by the hour. Otherwise they come from changing addresses of AWS.
       */
      fixedEgress: z.boolean().default(false),
      /**
       * The image of worker nodes, by digest, for all their architectures. Null: `workers.image`, or
       * `encoder-task/Dockerfile` is built at deployment for both architectures.
       */
      workerImage: z
        .string()
        .regex(/@sha256:[0-9a-f]{64}$/)
        .nullable()
        .default(null),
      /** The image of proxy nodes, as above. Null: `delivery/proxy` is built at deployment for both architectures. */
      proxyImage: z
        .string()
        .regex(/@sha256:[0-9a-f]{64}$/)
        .nullable()
        .default(null),
      /** The certificate authority sends expiry notices for proxy certificates to this address. */
      certificateEmail: z.email().nullable().default(null),
      /** Null: Let's Encrypt. */
      acmeDirectory: z.url().nullable().default(null),
    })
    .prefault({}),
  webhooks: z
    .strictObject({
      /**
       * Senders that run at the same time; each serves up to 100 webhooks. An account may have 10 concurrent executions
       * for all functions.
       */
      maxSenders: z.int().min(1).max(100).default(2),
    })
    .prefault({}),
  /**
   * A Whisper model in the bucket of the stage, below `models/`, with its SHA-256: tasks make captions from speech with
   * it. Null: there are none.
   */
  transcription: z
    .strictObject({
      model: z
        .string()
        .regex(/^models\/[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/, 'is a key such as models/ggml-base-q8_0.bin'),
      sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is the SHA-256 of the model, 64 digits and letters from a to f'),
    })
    .nullable()
    .default(null),
  /**
   * `in=transcript` of the list of videos finds words of captions. Up to 1,000 words of each video are items of the
   * table. Captions that were stored before are found after their next change.
   */
  transcriptSearch: z.boolean().default(false),
  ingests: z
    .strictObject({
      /** Files that the service fetches at a time for one user. Others wait. */
      maxRunningPerUser: z.int().min(1).max(100).default(1),
    })
    .prefault({}),
  /**
   * URLs of webhooks and ingests may lead to the machine that opens them, webhooks also with http: for tests and
   * receivers on one machine without other users, since each user can then read what the machine serves to itself. On
   * AWS this would be the function or the worker.
   */
  allowLoopbackTargets: z.boolean().default(false),
  /**
   * The API receives the notifications of a store that sends none to EventBridge, such as MinIO, with the secret in the
   * parameter `store-webhook-secret`.
   */
  storeWebhook: z.boolean().default(false),
  /**
   * What delivers files to viewers: the CloudFront distribution of the stage, registered proxies, or both. With `both`,
   * the distribution delivers the videos for which no proxy is active.
   */
  delivery: z.enum(['edge', 'proxies', 'both']).default('both'),
  edge: z
    .strictObject({
      /** A custom domain name for the distribution. CloudFront reads certificates in us-east-1 only. */
      domain: z
        .strictObject({ name: z.string().min(1), certificateArn: z.string().startsWith('arn:aws:acm:us-east-1:') })
        .nullable()
        .default(null),
      /** The regions from which the distribution delivers: all, all but the most expensive, or the cheapest. */
      priceClass: z.literal(['PriceClass_All', 'PriceClass_200', 'PriceClass_100']).default('PriceClass_All'),
      /** A web ACL of AWS WAF with the scope CLOUDFRONT, which exists in us-east-1 only. */
      webAclArn: z.string().startsWith('arn:aws:wafv2:us-east-1:').nullable().default(null),
    })
    .prefault({}),
  /**
   * A custom domain name for the API itself, which workers and the edge call, with a certificate in the same region.
   * Null: the name from API Gateway.
   */
  domain: z
    .strictObject({ name: z.string().min(1), certificateArn: z.string().startsWith('arn:') })
    .nullable()
    .default(null),
  /** Receives an email for each alarm. Null: alarms only appear in the console. */
  alarmEmail: z.email().nullable().default(null),
  /**
   * Dollars a month. `alarmEmail` gets an email when the costs of the whole AWS account are above 80 % or all of it, or
   * are expected to be above it. Nothing is stopped. Null: no budget.
   */
  monthlyBudget: z.number().positive().nullable().default(null),
  /** Retention of unfinished uploads and work files. */
  workFileDays: days.default(7),
  /**
   * The bucket keeps overwritten and deleted objects for this many days as noncurrent versions, so that an operator can
   * restore a source that was deleted by mistake. They are charged like other objects. Null: no versions.
   */
  noncurrentVersionDays: days.nullable().default(null),
  /**
   * Counts views, watch time, delivered bytes and playback quality of each video from the access logs. Otherwise only
   * the bytes and sessions of the stage are counted.
   */
  countViews: z.boolean().default(true),
  /** Retention of the access logs of the proxies and the edge. */
  accessLogDays: days.default(90),
});
export type Settings = z.output<typeof settingsSchema> & { stage: string };

type Overrides = z.input<typeof settingsSchema>;

const stageDefaults: Record<(typeof stages)[number], Overrides> = {
  local: {
    fixedNames: true,
    allowedOrigins: ['http://localhost:*', 'http://127.0.0.1:*'],
    // The limits of an AWS account: one machine answers fewer requests.
    requestsPerSecond: 10_000,
    requestBurst: 5000,
    maxRunningExecutions: 20,
    // Queueing a chunk takes the processor 10 ms, which the first chunk of a long video would wait for.
    maxChunksAtOnce: 40,
    jobTimeoutSeconds: 6 * 3600,
    // Its workers are notified of a job at once.
    earlyWorker: { enabled: false },
    nodes: { allowLoopback: true, allowIpv6: true },
    workers: { secondsPerTask: 1, spotTaskShare: 0, busySyncMs: 2000, progressStep: 0.02 },
  },
  dev: {},
  prod: {
    keepData: true,
    webhooks: { maxSenders: 10 },
    logRetentionDays: 90,
    workers: { maxTasks: 100 },
    earlyWorker: { maxConcurrency: 50 },
  },
};

/**
 * The settings of a stage: the defaults, then the values of the stage, then `overrides`. Overrides are an object under
 * the name of the stage in the context of cdk.json, or the same as JSON with `-c <stage>='{…}'`.
 * @throws when the stage or a setting is unknown or a value is outside its bounds
 */
export function settingsOf(stage: string, overrides?: unknown): Settings {
  const base = defaultsOf(stage, overrides !== undefined);
  const given = parseOverrides(stage, overrides ?? {});
  const settings = settingsSchema.safeParse({
    ...base,
    ...given,
    workers: merge(base.workers, given.workers),
    earlyWorker: merge(base.earlyWorker, given.earlyWorker),
    nodes: merge(base.nodes, given.nodes),
    webhooks: merge(base.webhooks, given.webhooks),
    edge: merge(base.edge, given.edge),
    ingests: merge(base.ingests, given.ingests),
  });
  if (!settings.success) throw new Error(`settings of ${stage}: ${z.prettifyError(settings.error)}`);
  if (settings.data.allowLoopbackTargets && stage !== 'local') {
    throw new Error(`settings of ${stage}: allowLoopbackTargets is for one machine only, as the stage local`);
  }
  if (settings.data.monthlyBudget !== null && settings.data.alarmEmail === null) {
    throw new Error(`settings of ${stage}: monthlyBudget needs alarmEmail, the address that its emails go to`);
  }
  return { ...settings.data, stage };
}

/**
 * A stage of another name must have settings, though they may be empty: a misspelt name would create a second stack.
 */
function defaultsOf(stage: string, hasSettings: boolean): Overrides {
  const known = stages.find((name) => name === stage);
  if (known) return stageDefaults[known];
  if (!stageName.test(stage)) throw new Error(`stage ${stage}: a name has 1 to 20 lower-case letters and digits`);
  if (hasSettings) return {};
  throw new Error(
    `unknown stage ${stage}: use one of ${stages.join(', ')}, or give the settings of ${stage} in cdk.json ("${stage}": {})`,
  );
}

/** Merges objects. Any other value is passed on, and the schema refuses it. */
const merge = (base: object | undefined, given: unknown): unknown =>
  given === undefined || isObject(given) ? { ...base, ...given } : given;

function parseOverrides(stage: string, overrides: unknown): Record<string, unknown> {
  const value = typeof overrides === 'string' ? parseJson(stage, overrides) : overrides;
  if (!isObject(value))
    throw new Error(`settings of ${stage}: they must be an object, such as {"alarmEmail":"ops@example.com"}`);
  return value;
}

function parseJson(stage: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`settings of ${stage}: ${text} is not JSON: ${(error as Error).message}`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
