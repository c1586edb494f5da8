import { runEarlyWorker } from './lambda/early-worker.ts';
import { startHelper } from './lambda/helper-process.ts';
import { serveInvocations } from './lambda/runtime-api.ts';
import { createLog, type Log } from './runtime/log.ts';
import { collectBuffersEarly } from './runtime/unused-buffers.ts';
import { removeAllLeaseFolders, removeLeftovers } from './runtime/work-folder.ts';
import { readLogLevel, readSettings, readWorkFolder, type Settings } from './worker/settings.ts';
import { workAndFetch } from './worker/start-work.ts';
import { createDrain, createWakeUp } from './worker/wake-up.ts';

collectBuffersEarly();

const shutdown = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => shutdown.abort());

// Lambda sets it in the process of a function.
const runtimeApi = process.env.AWS_LAMBDA_RUNTIME_API;
if (runtimeApi) await exitAfter(createLog(readOrExit(readLogLevel)), (log) => serveFunction(runtimeApi, log));
else {
  const settings = readOrExit(readSettings);
  await exitAfter(createLog(settings.logLevel, { worker: settings.workerName }), (log) => runWorker(settings, log));
}

async function runWorker(settings: Settings, log: Log): Promise<void> {
  const leftovers = await removeLeftovers(settings.workFolder, settings.workerName);
  if (leftovers.length > 0) log.info('removed the folders of an earlier process', { leftovers });
  const newWakeUp = () => createWakeUp(process);
  await workAndFetch(settings, { log, newWakeUp, drain: createDrain(process), shutdown: shutdown.signal });
}

async function serveFunction(address: string, log: Log): Promise<void> {
  // After an invocation that was ended by its time limit, Lambda starts the process again with the same files.
  await removeAllLeaseFolders(readWorkFolder(process.env));
  await serveInvocations({
    address,
    handle: (invocation) =>
      runEarlyWorker(invocation, { env: process.env, log, startHelper, shutdown: shutdown.signal }),
    onError: (error) => log.error('the early worker ends after an error', { error }),
    shutdown: shutdown.signal,
  });
}

async function exitAfter(log: Log, run: (log: Log) => Promise<void>): Promise<never> {
  try {
    await run(log);
  } catch (error) {
    if (!shutdown.signal.aborted) {
      log.error('worker exits after an error', { error });
      process.exit(1);
    }
  }
  process.exit(0);
}

function readOrExit<Result>(read: (env: NodeJS.ProcessEnv) => Result): Result {
  try {
    return read(process.env);
  } catch (error) {
    createLog('error').error('invalid settings', { error });
    process.exit(1);
  }
}
