import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { FunctionDefinition } from '../resources.ts';
import { type FailureDocument, failureDocument } from './failure.ts';
import type { RuntimeAnswer, RuntimeInput, RuntimeRequest } from './messages.ts';

/** Lambda's limit of a synchronous answer, in bytes. */
const largestAnswer = 6 * 1024 * 1024;

/** What Lambda answers to an invocation: the handler's result, or with `functionError` a FailureDocument. */
export type Invocation = { payload: unknown; functionError?: 'Unhandled' };

export type InstanceOptions = {
  definition: FunctionDefinition;
  /** the whole environment of the thread */
  environment: Record<string, string>;
  compileCacheFolder: string;
  onLogLine: (line: string) => void;
};

/** One worker thread that runs one function, one event at a time. An instance that died or ran out of time is not `alive` and not used again. */
export function startInstance({ definition, environment, compileCacheFolder, onLogLine }: InstanceOptions) {
  const worker = new Worker(new URL('./runtime.ts', import.meta.url), {
    name: definition.name,
    env: environment,
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: definition.memoryMiB },
    workerData: {
      codeFolder: definition.codeFolder,
      module: definition.module,
      handler: definition.handler,
      functionName: definition.name,
      functionArn: definition.arn,
      compileCacheFolder,
    } satisfies RuntimeInput,
  });
  for (const stream of [worker.stdout, worker.stderr]) createInterface({ input: stream }).on('line', onLogLine);

  let alive = true;
  let settle: ((invocation: Invocation) => void) | undefined;
  worker.on('message', (answer: RuntimeAnswer) => settle?.(invocationOf(answer)));
  worker.on('error', (error) => die(crashDocument(error, definition)));
  worker.on('exit', () => die({ errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited', trace: [] }));

  function die(failure: FailureDocument) {
    alive = false;
    settle?.({ payload: failure, functionError: 'Unhandled' });
    void worker.terminate();
  }

  return {
    get alive() {
      return alive;
    },

    /** Runs one event, given as JSON text. Past the time limit the failure is `Sandbox.Timedout` and the thread is gone. */
    async run(event: string): Promise<Invocation> {
      const requestId = randomUUID();
      const limitMs = definition.timeoutSeconds * 1000;
      const timer = setTimeout(() => {
        const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${definition.timeoutSeconds.toFixed(2)} seconds`;
        die({ errorType: 'Sandbox.Timedout', errorMessage, trace: [] });
      }, limitMs);
      const { promise, resolve } = Promise.withResolvers<Invocation>();
      settle = resolve;
      worker.postMessage({ requestId, event, deadlineMs: Date.now() + limitMs } satisfies RuntimeRequest);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        settle = undefined;
      }
    },

    async stop(): Promise<void> {
      await worker.terminate();
    },
  };
}

export type Instance = ReturnType<typeof startInstance>;

function invocationOf({ result, failure }: RuntimeAnswer): Invocation {
  if (failure) return { payload: failure, functionError: 'Unhandled' };
  if (Buffer.byteLength(result) <= largestAnswer) return { payload: JSON.parse(result) };
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${largestAnswer} bytes).`;
  const payload: FailureDocument = { errorType: 'Function.ResponseSizeTooLarge', errorMessage, trace: [] };
  return { payload, functionError: 'Unhandled' };
}

function crashDocument(error: Error & { code?: string }, { memoryMiB }: FunctionDefinition): FailureDocument {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return failureDocument(error);
  return { errorType: 'Runtime.OutOfMemory', errorMessage: `The function used more than ${memoryMiB} MB`, trace: [] };
}
