// Runs the job of a delivery as a worker does. Its requests to the service go to the parent process.
// node lab/bench/deliver/deliver-files.ts      gets a lease as a message, and sends what it has copied

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver } from '../../../encoder-task/jobs/deliver.ts';
import { createLog } from '../../../encoder-task/runtime/log.ts';
import { collectBuffersEarly } from '../../../encoder-task/runtime/unused-buffers.ts';
import { leaseFiles } from '../../../encoder-task/worker/lease-files.ts';
import type { DeliverSpec, FileResponse, Lease } from '../../../shared/protocol/jobs.ts';
import { peakRssBytes } from '../peak-memory.ts';

collectBuffersEarly();

const waiting = new Map<number, (response: FileResponse) => void>();
let requests = 0;
const ask = (request: object): Promise<FileResponse> =>
  new Promise((resolve) => {
    waiting.set(++requests, resolve);
    process.send!({ number: requests, request });
  });

process.on('message', (message: { lease: Lease } | { number: number; response: FileResponse }) => {
  if ('lease' in message) void run(message.lease);
  else waiting.get(message.number)?.(message.response);
});

async function run(lease: Lease): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'deliver-files-'));
  const startMs = performance.now();
  const result = await deliver({
    ...leaseFiles(lease, ask),
    spec: lease.spec as DeliverSpec,
    limits: lease.limits,
    priority: 'normal',
    folder,
    signal: new AbortController().signal,
    log: createLog('error'),
    reportProgress: () => undefined,
    reportStored: () => undefined,
    countCpu: () => undefined,
  });
  const seconds = (performance.now() - startMs) / 1000;
  await rm(folder, { recursive: true });
  process.send!({ result, seconds, peakRssBytes: peakRssBytes() }, () => process.exit());
}
