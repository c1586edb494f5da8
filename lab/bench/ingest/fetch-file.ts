// Fetches a file as a worker does, and stores its parts.
// node lab/bench/ingest/fetch-file.ts URL STORE-URL      prints one JSON line

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ingest } from '../../../encoder-task/jobs/ingest.ts';
import { createLog } from '../../../encoder-task/runtime/log.ts';
import { collectBuffersEarly } from '../../../encoder-task/runtime/unused-buffers.ts';
import { leaseFiles } from '../../../encoder-task/worker/lease-files.ts';
import type { IngestSpec } from '../../../shared/protocol/jobs.ts';
import { peakRssBytes } from '../peak-memory.ts';

collectBuffersEarly();

const [url = '', storeUrl = ''] = process.argv.slice(2);
const spec: IngestSpec = {
  kind: 'ingest',
  url,
  partBytes: 16 * 2 ** 20,
  maxBytes: 2 ** 40,
  source: null,
  storedParts: [],
  allowLoopback: true,
};
const limits = { wallSeconds: 600, stallSeconds: 60, memoryBytes: 4e9, diskBytes: 1e9 };
const numbers = Array.from({ length: 1000 }, (_, index) => String(index + 1));
const outputs = Object.fromEntries(numbers.map((number) => [number, storeUrl + number]));
const folder = await mkdtemp(join(tmpdir(), 'fetch-file-'));
try {
  const startMs = performance.now();
  const { sizeBytes } = await ingest({
    spec,
    limits,
    folder,
    priority: 'low',
    log: createLog('error'),
    signal: new AbortController().signal,
    ...leaseFiles({ id: 'L1', kind: 'ingest', spec, inputs: {}, outputs, limits }, async () => ({})),
    reportProgress: () => undefined,
    reportStored: () => undefined,
    countCpu: () => undefined,
  });
  const seconds = (performance.now() - startMs) / 1000;
  console.log(JSON.stringify({ sizeBytes, seconds, peakRssBytes: peakRssBytes() }));
} finally {
  await rm(folder, { recursive: true });
}
