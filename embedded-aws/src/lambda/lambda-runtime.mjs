import { existsSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { failureDocument } from './failure-document.mjs';
import { interceptServiceCalls } from './service-calls.mjs';

/**
 * The Node runtime of Lambda in a worker thread. It loads one handler and calls it for each event, also while earlier
 * calls are waiting. It is written in JavaScript, because a thread that loads TypeScript also loads the compiler, which
 * takes 9 MB and a tenth of the start-up time.
 * @typedef {(event: unknown, context: object) => unknown} Handler
 * @typedef {import('./runtime-messages.ts').RuntimeMessage} Message
 */

/** @type {import('./runtime-messages.ts').RuntimeInput} */
const { codeFolder, module, handler: handlerName, functionName, functionArn, ...runtime } = workerData;
enableCompileCache(runtime.compileCacheFolder);

/** Longer than the time after which surplus instances are stopped: their memory need not be collected. */
const idleBeforeCollectionMs = 22_000;
/** An event of a schedule leaves a few hundred kilobytes. These are not worth a collection. */
const worthwhileBytes = 2 * 2 ** 20;

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const receive =
  runtime.interceptedEndpoint === undefined
    ? undefined
    : interceptServiceCalls(runtime.interceptedEndpoint, (call) => port.postMessage(call));
let keptBytes = 0;
/**
 * V8 collects garbage only while memory is allocated, and would keep that of the last events. `gc` exists in a Node
 * that was started with --expose-gc.
 */
const collection = setTimeout(() => {
  if (!globalThis.gc || getHeapStatistics().used_heap_size - keptBytes < worthwhileBytes) return;
  globalThis.gc();
  keptBytes = getHeapStatistics().used_heap_size;
}, idleBeforeCollectionMs).unref();
const loading = load();
// Reported with the first invocation, as in Lambda.
loading.catch(() => {});
port.on('message', (/** @type {Message[]} */ batch) => batch.forEach(accept));

/** @param {Message} message */
async function accept(message) {
  if ('callId' in message) return receive?.(message);
  port.postMessage(await handleInvocation(message));
  collection.refresh();
}

/** @returns {Promise<Handler>} */
async function load() {
  const file = ['.mjs', '.js', '.cjs'].map((extension) => join(codeFolder, module + extension)).find(existsSync);
  if (!file) throw named('Runtime.ImportModuleError', `Cannot find module '${module}'`);
  const exported = await loadModule(file);
  if (typeof exported[handlerName] !== 'function') {
    throw named('Runtime.HandlerNotFound', `${module}.${handlerName} is undefined or not exported`);
  }
  return exported[handlerName];
}

/**
 * An import would parse all of a CommonJS module for the names of its exports.
 * @param {string} file
 */
async function loadModule(file) {
  return file.endsWith('.cjs') ? createRequire(import.meta.url)(file) : import(pathToFileURL(file).href);
}

/**
 * @param {import('./runtime-messages.ts').RuntimeRequest} request
 * @returns {Promise<import('./runtime-messages.ts').RuntimeResult>}
 */
async function handleInvocation({ requestId, event, deadlineMs }) {
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
    return { requestId, result: JSON.stringify(result) ?? 'null' };
  } catch (thrown) {
    return { requestId, failure: failureDocument(thrown) };
  }
}

/**
 * @param {string} name
 * @param {string} message
 */
function named(name, message) {
  const error = new Error(message);
  error.name = name;
  return error;
}
