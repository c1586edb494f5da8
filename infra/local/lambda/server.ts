import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { FunctionDefinition } from '../resources.ts';
import { type FailureDocument, FunctionNotFound } from './failure.ts';
import type { Invocation } from './instance.ts';
import { patienceMs } from './patience.ts';
import { createPool, type PoolOptions } from './pool.ts';

export type LambdaOptions = {
  functions: FunctionDefinition[];
  /** What every function's environment has besides its own variables, such as the endpoint and the credentials. */
  environment: Record<string, string>;
  /** For the compiled code of the functions, which makes later starts faster. */
  cacheFolder: string;
  /** Variables that replace those of the template. */
  overrides?: Record<string, string>;
  log: (functionName: string, line: string) => void;
  largestPool?: number;
  idleSeconds?: number;
  patience?: PoolOptions['patience'];
};

/** The embedded Lambda: each function in worker threads of its own, with the environment and the limits of its definition. */
export function openLambda(options: LambdaOptions) {
  const { functions, environment, cacheFolder, overrides = {}, log } = options;
  const { largestPool = 8, idleSeconds = 60, patience = patienceMs } = options;
  const pools = new Map(
    functions.map((definition) => [
      definition.name,
      createPool({
        definition,
        environment: { ...environment, ...runtimeVariables(definition), ...definition.environment, ...overrides },
        compileCacheFolder: join(cacheFolder, 'compiled'),
        onLogLine: (line) => log(definition.name, line),
        largestSize: largestPool,
        idleSeconds,
        patience,
      }),
    ]),
  );

  /**
   * Runs a function, named by its name or ARN.
   * @throws FunctionNotFound
   */
  async function invoke(nameOrArn: string, payload: unknown): Promise<Invocation> {
    const pool = pools.get(nameIn(nameOrArn));
    if (!pool) throw new FunctionNotFound(nameOrArn);
    return pool.run(JSON.stringify(payload) ?? 'null');
  }

  return {
    invoke,

    /** Answers `POST /2015-03-31/functions/<name>/invocations`, whose body has been read. */
    async handle(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
      const path = decodeURIComponent(request.url!.split('?')[0]!);
      const name = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path)?.[1];
      if (!name || request.method !== 'POST')
        return refuse(response, 404, 'UnknownOperationException', 'Only Invoke is known here');
      if (!pools.has(nameIn(name))) {
        return refuse(response, 404, 'ResourceNotFoundException', `Function not found: ${name}`);
      }
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
    },

    async close(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

export type Lambda = ReturnType<typeof openLambda>;

const nameIn = (nameOrArn: string): string => /:function:([^:]+)/.exec(nameOrArn)?.[1] ?? nameOrArn;

/** One line for the log of a failed invocation. */
export function failureLine({ payload }: Invocation): string {
  const { errorType, errorMessage, trace } = payload as FailureDocument;
  return JSON.stringify({ level: 'ERROR', message: 'Invocation failed', errorType, errorMessage, trace });
}

/** What Lambda's runtime sets, as far as handlers and their libraries read it. */
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
