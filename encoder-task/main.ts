import { randomUUID } from 'node:crypto';
import { createLog } from './runtime/log.ts';
import { removeLeftovers } from './runtime/work-folder.ts';
import { createFileCall, createSyncCall } from './worker/service-calls.ts';
import { readSettings, type Settings } from './worker/settings.ts';
import { createWakeUp } from './worker/wake-up.ts';
import { work } from './worker/worker.ts';

const version = '1';

const settings = readOrExit();
const log = createLog(settings.logLevel, { worker: settings.workerName });
const shutdown = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => shutdown.abort());

try {
  const leftovers = await removeLeftovers(settings.workFolder, settings.workerName);
  if (leftovers.length > 0) log.info('removed the folders of an earlier process', { leftovers });
  await work({
    ...settings,
    epoch: randomUUID(),
    version,
    sync: createSyncCall(settings.syncUrl, settings.token, log),
    askFiles: createFileCall(settings.syncUrl, settings.token, log),
    log,
    wakeUp: createWakeUp(process),
    shutdown: shutdown.signal,
  });
  process.exit(0);
} catch (error) {
  if (shutdown.signal.aborted) process.exit(0);
  log.error('worker exits after an error', { error });
  process.exit(1);
}

function readOrExit(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    createLog('error').error('invalid settings', { error });
    process.exit(1);
  }
}
