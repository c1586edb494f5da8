/**
 * The environment variables of the functions. infra sets each together with the rights that belong to it; functions
 * read them with `readEnvironment`. There are no fallback values here: the settings of a stage are the only source.
 */
type Descriptor = { kind: 'text' | 'number' | 'list' | 'switch'; optional?: true };

const text = { kind: 'text' } as const;
const optionalText = { kind: 'text', optional: true } as const;
const number = { kind: 'number' } as const;
/** separated by commas, possibly empty */
const list = { kind: 'list' } as const;
/** `on` or `off` */
const onOff = { kind: 'switch' } as const;

const deploymentVariables = {
  STAGE: text,
  /** read by Powertools */
  LOG_LEVEL: text,
  /** read by Powertools */
  POWERTOOLS_SERVICE_NAME: text,

  TABLE_NAME: text,
  BUCKET_NAME: text,
  /** address of the bucket, where browsers upload */
  BUCKET_URL: text,
  STATE_MACHINE_ARN: text,
  PARAMETER_PREFIX: text,
  SSH_KEYS_KMS_KEY: text,
  /** of the secrets of storages */
  STORAGES_KMS_KEY: text,
  /** the account of the service, whose own roles are not assumed for users */
  ACCOUNT_ID: text,
  /** of secrets that the function writes; absent where they are under the key of the account */
  PARAMETERS_KMS_KEY: optionalText,
  EVENT_BUS_NAME: text,
  SWEEP_FUNCTION: text,
  INGESTS_FUNCTION: text,
  STORAGE_DELIVERIES_FUNCTION: text,
  TRANSCRIPTIONS_FUNCTION: text,
  /** whether workers have a model of speech */
  TRANSCRIPTION: onOff,
  /** key and SHA-256 of the model that tasks get from the bucket; absent where workers have a file of their own */
  TRANSCRIPTION_MODEL_KEY: optionalText,
  TRANSCRIPTION_MODEL_SHA256: optionalText,
  OPERATE_FUNCTION: text,
  SEND_FUNCTION: text,
  /** whether URLs of users may lead to the machine that opens them, webhooks also with http */
  ALLOW_LOOPBACK_TARGETS: onOff,
  /** senders of webhooks that run at the same time */
  MAX_WEBHOOK_SENDERS: number,
  /** absent where the stage has none */
  EARLY_WORKER_FUNCTION: optionalText,

  API_URL: text,
  /** whether viewers are sent to registered proxies while one is active */
  USE_PROXIES: onOff,
  /** whether access logs are counted by video, not by stage alone */
  COUNT_VIEWS: onOff,
  /** whether videos are listed by words of their captions */
  TRANSCRIPT_SEARCH: onOff,
  ALLOWED_ORIGINS: list,
  /** address of the distribution, without a trailing slash; absent where the stage has none */
  EDGE_URL: optionalText,
  /** where signing keys, deleted and public videos are written for the distribution; absent where the stage has none */
  EDGE_KEY_VALUE_STORE_ARN: optionalText,
  REGISTRATION: onOff,
  /** `StageSettings` as JSON */
  STAGE_SETTINGS: text,
  MAX_RUNNING_EXECUTIONS: number,
  /** of one user at a time */
  MAX_RUNNING_INGESTS: number,
  DOLLARS_PER_TASK_HOUR: number,

  IDLE_SYNC_MS: number,
  BUSY_SYNC_MS: number,
  /** share of an output between two writes of its progress, 0 to 1 */
  PROGRESS_STEP: number,

  CLUSTER: text,
  TASK_DEFINITION: text,
  TASK_DEFINITION_FAMILY: text,
  SUBNETS: list,
  SECURITY_GROUP: text,
  MAX_TASKS: number,
  /** cores of one task, to predict how fast a video is encoded; a slow one counts as a part of a core */
  CORES_PER_TASK: number,
  SPOT_TASK_SHARE: number,
  SECONDS_PER_TASK: number,
  /** the size of a task, for cost estimates */
  TASK_CPU_UNITS: number,
  TASK_MEMORY_MIB: number,
  TASK_SCRATCH_GIB: number,

  ALLOW_LOOPBACK_NODES: onOff,
  ALLOW_IPV6_NODES: onOff,
  NODE_SSH_PORT: number,
  WORKER_IMAGE_X86_64: text,
  WORKER_IMAGE_ARM64: text,
  PROXY_IMAGE_X86_64: text,
  PROXY_IMAGE_ARM64: text,
  SIGNING_KEYS_PARAMETER: text,
  STORE_REGION: text,
  CERTIFICATE_EMAIL: optionalText,
  ACME_DIRECTORY: optionalText,
} as const satisfies Record<string, Descriptor>;

/** Set by Lambda, or by the embedded AWS on one machine; not by infra. */
const runtimeVariables = {
  AWS_ACCESS_KEY_ID: text,
  AWS_SECRET_ACCESS_KEY: text,
  AWS_SESSION_TOKEN: optionalText,
  /** set on one machine only, like the variables below it */
  AWS_ENDPOINT_URL_S3: optionalText,
  AWS_ENDPOINT_URL: text,
  AWS_NODE_ACCESS_KEY_ID: text,
  AWS_NODE_SECRET_ACCESS_KEY: text,
  /** private authorities that registered nodes trust, as PEM */
  NODE_CERTIFICATES: optionalText,
  /** the folder with sockets of store and parameters, for registered proxies; absent if no image for them is set */
  SERVICE_SOCKETS: optionalText,
  /** the public address of the object store, where it is not the address that functions use */
  AWS_ENDPOINT_URL_S3_PUBLIC: optionalText,
  /** the address of the object store for the workers of the pool, where that is a third one */
  AWS_ENDPOINT_URL_S3_WORKERS: optionalText,
} as const satisfies Record<string, Descriptor>;

const variables = { ...deploymentVariables, ...runtimeVariables };

type Kinds = { text: string; number: number; list: readonly string[]; switch: boolean };
type Value<Of extends Descriptor> = Kinds[Of['kind']] | (Of extends { optional: true } ? undefined : never);

/** Values that infra sets for one function. */
export type FunctionEnvironment = {
  [Name in keyof typeof deploymentVariables]?: Value<(typeof deploymentVariables)[Name]>;
};

/** @throws Error for a variable that is not set, unless it is optional, or that is not of its kind */
export function readEnvironment<Name extends keyof typeof variables>(name: Name): Value<(typeof variables)[Name]> {
  const descriptor: Descriptor = variables[name];
  return parse(name, process.env[name], descriptor) as Value<(typeof variables)[Name]>;
}

function parse(name: string, value: string | undefined, { kind, optional }: Descriptor) {
  if (value === undefined || (value === '' && kind !== 'list')) {
    if (optional) return undefined;
    throw new Error(`The environment variable ${name} is not set.`);
  }
  switch (kind) {
    case 'text':
      return value;
    case 'list':
      return value.split(',').filter((item) => item !== '');
    case 'number':
      if (Number.isFinite(Number(value))) return Number(value);
      throw new Error(`The environment variable ${name} is not a number.`);
    case 'switch':
      if (value === 'on' || value === 'off') return value === 'on';
      throw new Error(`The environment variable ${name} is neither on nor off.`);
  }
}

/** The texts that `readEnvironment` reads. Undefined values are left out. */
export const formatEnvironment = (values: FunctionEnvironment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, formatValue(value)]])),
  );

const formatValue = (value: Kinds[keyof Kinds]): string =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
