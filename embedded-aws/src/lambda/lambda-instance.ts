import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { FunctionDefinition } from '../template/read-functions.ts';
import { failureDocument } from './failure-document.mjs';
import type { FailureDocument } from './lambda-errors.ts';
import type { RuntimeInput, RuntimeMessage, RuntimeResult, ServiceCall, ServiceResult } from './runtime-messages.ts';

/** The limit of Lambda on the response of a synchronous invocation. */
const maxResponseBytes = 6 * 1024 * 1024;
/**
 * Memory for new objects of a thread. V8's default is up to 48 MB. With more than 12 MB, a thread with many calls at a
 * time takes as much processor time; with 8 MB it spends a sixth of its time on garbage collection.
 */
const youngGenerationMiB = 12;

/** The result of an invocation: that of the handler or, with `functionError`, a FailureDocument. */
export type Invocation = { payload: unknown; functionError?: 'Unhandled' };

export type InstanceOptions = {
  definition: FunctionDefinition;
  /** The complete environment of the thread. */
  environment: Record<string, string>;
  compileCacheFolder: string;
  onLogLine: (line: string) => void;
  /**
   * Answers requests of the function to the embedded services without HTTP. Without it they are sent through sockets.
   */
  services?: Services | undefined;
};

export type Services = { endpoint: string; call: (call: ServiceCall) => Promise<ServiceResult> };

/**
 * Starts a worker thread for one function. After a crash or a timeout it is not `alive` and accepts no more
 * invocations.
 */
export function startInstance({ definition, environment, compileCacheFolder, onLogLine, services }: InstanceOptions) {
  const worker = new Worker(new URL('./lambda-runtime.mjs', import.meta.url), {
    name: definition.name,
    env: environment,
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: definition.memoryMiB,
      maxYoungGenerationSizeMb: youngGenerationMiB,
    },
    workerData: {
      codeFolder: definition.codeFolder,
      module: definition.module,
      handler: definition.handler,
      functionName: definition.name,
      functionArn: definition.arn,
      compileCacheFolder,
      interceptedEndpoint: services?.endpoint,
    } satisfies RuntimeInput,
  });
  for (const stream of [worker.stdout, worker.stderr]) createInterface({ input: stream }).on('line', onLogLine);

  let alive = true;
  const post = inBatches<RuntimeMessage>((batch) => worker.postMessage(batch));
  const calls = new Map<string, (invocation: Invocation) => void>();
  const ended = Promise.withResolvers<void>();
  worker.on('message', async (message: RuntimeResult | ServiceCall) => {
    if ('requestId' in message) settle(message.requestId, invocationOf(message));
    else if (services) post(await services.call(message));
  });
  worker.on('error', (error) => end(crashDocument(error, definition)));
  worker.on('exit', () => {
    end({ errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited', trace: [] });
    ended.resolve();
  });

  function settle(requestId: string, invocation: Invocation) {
    calls.get(requestId)?.(invocation);
    calls.delete(requestId);
    if (!alive && calls.size === 0) void worker.terminate();
  }

  /** Fails all running invocations, as when a Lambda sandbox ends. */
  function end(failure: FailureDocument) {
    alive = false;
    for (const requestId of [...calls.keys()]) settle(requestId, { payload: failure, functionError: 'Unhandled' });
    void worker.terminate();
  }

  return {
    get alive() {
      return alive;
    },
    /** Resolves when the thread has ended. */
    ended: ended.promise,

    /**
     * Runs one invocation. `event` is JSON text. After the timeout the failure is `Sandbox.Timedout`, and the thread
     * ends when its other invocations, which have their own timeouts, have ended.
     */
    async run(event: string): Promise<Invocation> {
      const requestId = randomUUID();
      const limitMs = definition.timeoutSeconds * 1000;
      const timer = setTimeout(() => {
        const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${definition.timeoutSeconds.toFixed(2)} seconds`;
        const payload: FailureDocument = { errorType: 'Sandbox.Timedout', errorMessage, trace: [] };
        alive = false;
        settle(requestId, { payload, functionError: 'Unhandled' });
      }, limitMs);
      const { promise, resolve } = Promise.withResolvers<Invocation>();
      calls.set(requestId, resolve);
      post({ requestId, event, deadlineMs: Date.now() + limitMs });
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },

    async stop(): Promise<void> {
      await worker.terminate();
    },
  };
}

export type Instance = ReturnType<typeof startInstance>;

/**
 * Sends what is posted in one turn of the event loop as one message. Messages of their own would take a sixth of the
 * processor time of the main thread.
 */
function inBatches<T>(send: (batch: T[]) => void): (message: T) => void {
  let batch: T[] = [];
  return (message) => {
    if (batch.push(message) > 1) return;
    setImmediate(() => {
      const messages = batch;
      batch = [];
      send(messages);
    });
  };
}

function invocationOf({ result, failure }: RuntimeResult): Invocation {
  if (failure) return { payload: failure, functionError: 'Unhandled' };
  if (Buffer.byteLength(result) <= maxResponseBytes) return { payload: JSON.parse(result) };
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${maxResponseBytes} bytes).`;
  const payload: FailureDocument = { errorType: 'Function.ResponseSizeTooLarge', errorMessage, trace: [] };
  return { payload, functionError: 'Unhandled' };
}

function crashDocument(error: Error & { code?: string }, { memoryMiB }: FunctionDefinition): FailureDocument {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return failureDocument(error);
  return { errorType: 'Runtime.OutOfMemory', errorMessage: `The function used more than ${memoryMiB} MB`, trace: [] };
}
