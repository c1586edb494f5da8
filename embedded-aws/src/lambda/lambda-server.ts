import { join } from 'node:path';
import type { Meter } from '../account/meter.ts';
import type { FunctionDefinition } from '../template/read-functions.ts';
import { createConcurrency } from './concurrency.ts';
import { createPool, type PoolOptions } from './instance-pool.ts';
import { createInstanceRegistry, defaultIdleSeconds, defaultOverLimitIdleSeconds } from './instance-registry.ts';
import { functionNameIn } from './invoke-service.ts';
import { FunctionNotFound, RequestTooLarge } from './lambda-errors.ts';
import { type Instance, type Invocation, type Services, startInstance } from './lambda-instance.ts';
import { isLineKept } from './log-level.ts';
import { scaleOutDelayMs } from './scale-out-delay.ts';

/**
 * The variables that an instance has in addition to those of the template: endpoints and credentials. They never change
 * in an instance, so it gets no invocations from `retireAtMs` on.
 */
export type InstanceCredentials = { environment: Record<string, string>; retireAtMs: number };

export type LambdaOptions = {
  functions: FunctionDefinition[];
  /** Called for each new instance of a function. */
  credentialsOf: (definition: FunctionDefinition) => InstanceCredentials;
  /** Epoch milliseconds. */
  now?: () => number;
  /** Contains the compiled code of the functions, which makes later starts faster. */
  cacheFolder: string;
  /** Variables that replace those of the template. */
  overrides?: Record<string, string>;
  log: (functionName: string, line: string) => void;
  /** Replaces the lowest level of log lines of all functions. */
  applicationLogLevel?: string | undefined;
  services?: Services;
  maxInstancesPerFunction?: number;
  /**
   * How many invocations share an instance, for functions whose timeout is at most `maxSharedTimeoutSeconds`. 1: an
   * instance for each, as on AWS.
   */
  callsPerInstance?: number;
  idleSeconds?: number;
  overLimitIdleSeconds?: number;
  scaleOutDelay?: PoolOptions['scaleOutDelay'];
  /** The functions that get an instance when a function is invoked, unless they have one; all by name. */
  preparedWith?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The concurrency of the account. */
  maxConcurrency?: number | undefined;
  meter?: Meter | undefined;
};

/** The limit of Lambda on the payload of a synchronous invocation. */
const maxPayloadBytes = 6 * 1024 * 1024;

/**
 * Functions with a longer timeout do not share instances: their log lines belong to one invocation, and after a timeout
 * the thread must not stay alive for minutes because of other invocations.
 */
const maxSharedTimeoutSeconds = 31;
/**
 * Opens the embedded Lambda. Each function runs in worker threads with the environment and the limits of its
 * definition.
 */
export function openLambda(options: LambdaOptions) {
  const { functions, credentialsOf, cacheFolder, overrides = {}, log, services } = options;
  const { maxInstancesPerFunction = 8, callsPerInstance = 32 } = options;
  const { idleSeconds = defaultIdleSeconds, overLimitIdleSeconds = defaultOverLimitIdleSeconds } = options;
  const { scaleOutDelay = scaleOutDelayMs, now = Date.now } = options;
  const instanceOptions = { compileCacheFolder: join(cacheFolder, 'compiled'), services };
  const registry = createInstanceRegistry();
  const concurrency = createConcurrency(functions, options.maxConcurrency);
  const pools = new Map(
    functions.map((definition) => [
      definition.name,
      createPool({
        start(): { instance: Instance; retireAtMs: number } {
          const { environment, retireAtMs } = credentialsOf(definition);
          const variables = {
            ...environment,
            ...runtimeEnvironment(definition),
            ...definition.environment,
            ...overrides,
          };
          return {
            instance: startInstance({
              ...instanceOptions,
              definition,
              environment: variables,
              onLogLine: (line) => {
                const lowest = options.applicationLogLevel ?? definition.applicationLogLevel;
                if (isLineKept(line, lowest)) log(definition.name, line);
              },
            }),
            retireAtMs,
          };
        },
        now,
        callsPerInstance: definition.timeoutSeconds <= maxSharedTimeoutSeconds ? callsPerInstance : 1,
        maxInstances: maxInstancesPerFunction,
        idleSeconds,
        overLimitIdleSeconds,
        registry,
        scaleOutDelay,
      }),
    ]),
  );

  /** Invokes a function by name or ARN. @throws FunctionNotFound, RequestTooLarge, TooManyRequests */
  async function invoke(nameOrArn: string, payload: unknown): Promise<Invocation> {
    const name = functionNameIn(nameOrArn);
    const pool = pools.get(name);
    if (!pool) throw new FunctionNotFound(nameOrArn);
    const event = JSON.stringify(payload) ?? 'null';
    // A character has at most three bytes.
    if (event.length > maxPayloadBytes / 3 && Buffer.byteLength(event) > maxPayloadBytes) {
      throw new RequestTooLarge(maxPayloadBytes);
    }
    const limit = concurrency.acquire(name);
    options.meter?.('function invocations', 1, name);
    try {
      const running = pool.run(event);
      for (const next of options.preparedWith?.[name] ?? []) pools.get(next)?.prepare();
      return await running;
    } finally {
      concurrency.release(limit);
    }
  }

  return {
    invoke,
    /** The ARN of a function, by name or ARN. Returns the argument for an unknown function. */
    arnOf: (nameOrArn: string): string =>
      functions.find(({ name }) => name === functionNameIn(nameOrArn))?.arn ?? nameOrArn,
    /** The number of instances of all functions. */
    get instances(): number {
      return registry.size;
    },

    async close(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

export type Lambda = ReturnType<typeof openLambda>;

/** The variables of Lambda's runtime that handlers and their libraries read. */
const runtimeEnvironment = ({
  name,
  memoryMiB,
  codeFolder,
  handler,
  module,
}: FunctionDefinition): Record<string, string> => ({
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMiB),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  LAMBDA_TASK_ROOT: codeFolder,
  _HANDLER: `${module}.${handler}`,
});
