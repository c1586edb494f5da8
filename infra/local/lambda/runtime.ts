import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { failureDocument } from './failure.ts';
import type { RuntimeAnswer, RuntimeInput, RuntimeRequest } from './messages.ts';

/** The inside of a worker thread: Lambda's Node runtime. It loads one handler and gives it one event after the other. */
type Handler = (event: unknown, context: object) => unknown;

const {
  codeFolder,
  module,
  handler: handlerName,
  functionName,
  functionArn,
  compileCacheFolder,
} = workerData as RuntimeInput;
enableCompileCache(compileCacheFolder);

const port = parentPort!;
const loading = load();
// Reported with the first invocation, as Lambda does.
loading.catch(() => {});
port.on('message', async (request: RuntimeRequest) => port.postMessage(await answer(request)));

async function load(): Promise<Handler> {
  const file = ['.mjs', '.js', '.cjs'].map((extension) => join(codeFolder, module + extension)).find(existsSync);
  if (!file) throw named('Runtime.ImportModuleError', `Cannot find module '${module}'`);
  const exported = await import(pathToFileURL(file).href);
  if (typeof exported[handlerName] !== 'function') {
    throw named('Runtime.HandlerNotFound', `${module}.${handlerName} is undefined or not exported`);
  }
  return exported[handlerName];
}

async function answer({ requestId, event, deadlineMs }: RuntimeRequest): Promise<RuntimeAnswer> {
  try {
    const handle = await loading;
    const result = await handle(JSON.parse(event), {
      awsRequestId: requestId,
      functionName,
      functionVersion: '$LATEST',
      invokedFunctionArn: functionArn,
      memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
      logGroupName: `/aws/lambda/${functionName}`,
      logStreamName: 'local',
      callbackWaitsForEmptyEventLoop: false,
      getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
    });
    return { result: JSON.stringify(result) ?? 'null' };
  } catch (thrown) {
    return { failure: failureDocument(thrown) };
  }
}

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
