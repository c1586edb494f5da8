import { randomUUID } from 'node:crypto';
import type { Log } from '../runtime/log.ts';
import { createFileCall, createSyncCall } from './service-calls.ts';
import type { Settings } from './settings.ts';
import { type Worker, work } from './worker.ts';

const version = '1';

/** Runs a worker with its calls to the service, until it exits. */
export const startWork = (
  settings: Settings,
  { log, ...signals }: { log: Log } & Pick<Worker, 'wakeUp' | 'drain' | 'shutdown'>,
): Promise<void> =>
  work({
    ...settings,
    epoch: randomUUID(),
    version,
    sync: createSyncCall(settings.syncUrl, settings.token, log),
    askFiles: createFileCall(settings.syncUrl, settings.token, log),
    log,
    ...signals,
  });
