import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { ControlService, Handle } from '../control/control-service.ts';
import { authorize } from '../iam/authorize.ts';
import type { FunctionDefinition } from '../template/read-functions.ts';
import { createPool, type PoolOptions } from './instance-pool.ts';
import { createInstanceRegistry } from './instance-registry.ts';
import { type FailureDocument, FunctionNotFound } from './lambda-errors.ts';
import type { Invocation, Services } from './lambda-instance.ts';
import { scaleOutDelayMs } from './scale-out-delay.ts';

export type LambdaOptions = {
  functions: FunctionDefinition[];
  /** Variables that a function has in addition to those of the template, such as endpoints and credentials. */
  environmentOf: (definition: FunctionDefinition) => Record<string, string>;
  /** Contains the compiled code of the functions, which makes later starts faster. */
  cacheFolder: string;
  /** Variables that replace those of the template. */
  overrides?: Record<string, string>;
  log: (functionName: string, line: string) => void;
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
};

/** The limit of Lambda on the payload of an invocation. */
const maxBodyBytes = 6 * 1024 * 1024;

/**
 * Functions with a longer timeout do not share instances: their log lines belong to one invocation, and after a timeout
 * the thread must not stay alive for minutes because of other invocations.
 */
const maxSharedTimeoutSeconds = 30;
/**
 * The number of instances of all functions above which idle ones are stopped earlier: as many as there are functions
 * that run each minute. An instance takes 25 MB.
 */
const maxInstances = 4;

/**
 * Opens the embedded Lambda. Each function runs in worker threads with the environment and the limits of its
 * definition.
 */
export function openLambda(options: LambdaOptions) {
  const { functions, environmentOf, cacheFolder, overrides = {}, log, services } = options;
  const { maxInstancesPerFunction = 8, callsPerInstance = 32, idleSeconds = 60, overLimitIdleSeconds = 10 } = options;
  const { scaleOutDelay = scaleOutDelayMs } = options;
  const registry = createInstanceRegistry(maxInstances);
  const pools = new Map(
    functions.map((definition) => [
      definition.name,
      createPool({
        definition,
        environment: {
          ...environmentOf(definition),
          ...runtimeVariables(definition),
          ...definition.environment,
          ...overrides,
        },
        compileCacheFolder: join(cacheFolder, 'compiled'),
        onLogLine: (line) => log(definition.name, line),
        services,
        callsPerInstance: definition.timeoutSeconds <= maxSharedTimeoutSeconds ? callsPerInstance : 1,
        maxInstances: maxInstancesPerFunction,
        idleSeconds,
        overLimitIdleSeconds,
        registry,
        scaleOutDelay,
      }),
    ]),
  );

  /** Invokes a function by name or ARN. @throws FunctionNotFound */
  async function invoke(nameOrArn: string, payload: unknown): Promise<Invocation> {
    const pool = pools.get(nameIn(nameOrArn));
    if (!pool) throw new FunctionNotFound(nameOrArn);
    return pool.run(JSON.stringify(payload) ?? 'null');
  }

  /** Answers `POST /2015-03-31/functions/<name>/invocations`. */
  const handle: Handle = async (request, response, body, caller) => {
    const name = request.method === 'POST' && invokedName(request.url!);
    if (!name) return refuse(response, 404, 'UnknownOperationException', 'Only Invoke is supported');
    const definition = functions.find((one) => one.name === nameIn(name));
    if (!definition) return refuse(response, 404, 'ResourceNotFoundException', `Function not found: ${name}`);
    authorize(caller, 'lambda:InvokeFunction', definition.arn);
    let payload: unknown;
    try {
      payload = body.length === 0 ? {} : JSON.parse(body.toString());
    } catch {
      return refuse(response, 400, 'InvalidRequestContentException', 'Could not parse request body into json');
    }
    const running = invoke(name, payload);
    if (request.headers['x-amz-invocation-type'] === 'Event') {
      void running.then((answer) => {
        if (answer.functionError) log(nameIn(name), failureLine(answer));
      });
      response.writeHead(202).end();
      return;
    }
    const answer = await running;
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'x-amz-executed-version': '$LATEST',
        ...(answer.functionError && { 'x-amz-function-error': answer.functionError }),
      })
      .end(JSON.stringify(answer.payload));
  };
  const service: ControlService = { signingName: 'lambda', protocol: 'rest-json', maxBodyBytes, handle };

  return {
    invoke,
    /** The ARN of a function, by name or ARN. Returns the argument for an unknown function. */
    arnOf: (nameOrArn: string): string => functions.find(({ name }) => name === nameIn(nameOrArn))?.arn ?? nameOrArn,
    service,
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

/** Undefined for any other path. */
function invokedName(url: string): string | undefined {
  const [, name = ''] = /^\/2015-03-31\/functions\/([^/?]+)\/invocations(\?|$)/.exec(url) ?? [];
  try {
    return decodeURIComponent(name) || undefined;
  } catch {
    return undefined;
  }
}

const nameIn = (nameOrArn: string): string => /:function:([^:]+)/.exec(nameOrArn)?.[1] ?? nameOrArn;

/** The log line of a failed invocation. */
export function failureLine({ payload }: Invocation): string {
  const { errorType, errorMessage, trace } = payload as FailureDocument;
  return JSON.stringify({ level: 'ERROR', message: 'Invocation failed', errorType, errorMessage, trace });
}

/** The variables of Lambda's runtime that handlers and their libraries read. */
const runtimeVariables = ({
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

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
    .end(JSON.stringify({ Type: 'User', Message: message }));
}
