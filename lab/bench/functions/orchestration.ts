import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { backoffMs } from '../../../encoder-task/worker/service-calls.ts';
import type { SyncRequest, SyncResponse } from '../../../shared/protocol/jobs.ts';
import { createChunkResult } from '../../../test/fixtures/records/store-chunked-video.ts';
import { readOperator } from '../../../test/fixtures/servers/read-operator.ts';
import { startService } from '../../../test/journey/support/service.ts';
import { type Row, row } from '../row.ts';
import { serviceCpuSeconds } from '../service-process.ts';
import { secondsOf } from '../stop-watch.ts';

/** In a row, of one call. */
const maxFailures = 5;

/**
 * The overhead of the service per chunk: jobs without work pass through the queue of a whole service over its API. The
 * state machine is notified of each result but waits for none.
 */
export async function measureOrchestration(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-queue-'));
  const service = await startService({ dataFolder: folder, env: { WORKERS: '1' } });
  const { queueChunks, workerToken, end } = await insideOf(folder);
  try {
    const drain = async (workers: number): Promise<void> => {
      await Promise.all(Array.from({ length: workers }, (_, n) => work(service.apiUrl, workerToken, `bench-${n}`)));
    };
    const measure = async (jobs: number, workers: number) => {
      await queueChunks(jobs);
      const cpuBefore = await serviceCpuSeconds(folder);
      const seconds = await secondsOf(() => drain(workers));
      return { jobs, seconds, cpuSeconds: (await serviceCpuSeconds(folder)) - cpuBefore };
    };
    await measure(20, 2);
    const two = await measure(200, 2);
    const short = await measure(200, 8);
    const long = await measure(1000, 8);
    return [
      row({ name: 'overhead of a chunk, 2 workers', value: (2000 * two.seconds) / two.jobs, unit: 'ms', atMost: 150 }),
      row({ name: '1,000 jobs, 8 workers', value: long.jobs / long.seconds, unit: 'jobs/s', atLeast: 50 }),
      row({
        name: '1,000 jobs: CPU of the service, against 200 jobs',
        value: cpuMsOf(long),
        baseline: cpuMsOf(short),
        unit: 'ms a job',
        ratioAtMost: 1.25,
      }),
    ];
  } finally {
    await end();
    await service.stop();
    await rm(folder, { recursive: true });
  }
}

const cpuMsOf = ({ jobs, cpuSeconds }: { jobs: number; cpuSeconds: number }): number => (1000 * cpuSeconds) / jobs;

/**
 * Takes jobs and reports each as done at once until the queue is empty. A call that the service cannot take is
 * repeated, as workers do.
 */
async function work(apiUrl: string, token: string, worker: string): Promise<void> {
  let request: Omit<SyncRequest, 'worker' | 'epoch' | 'version'> = {};
  let failures = 0;
  for (;;) {
    const response = await fetch(`${apiUrl}/api/workers/sync`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ worker, epoch: 'e', version: '1', ...request }),
    });
    if (response.status === 503 && failures < maxFailures) {
      await response.body?.cancel();
      await sleep(backoffMs(failures++));
      continue;
    }
    failures = 0;
    if (!response.ok) throw new Error(`the service answered ${response.status}: ${await response.text()}`);
    const { lease } = (await response.json()) as SyncResponse;
    if (!lease) return;
    request = { done: { lease: lease.id, result: createChunkResult(lease) } };
  }
}

/**
 * A thread that queues jobs in a running service with the code of its functions, against its table and bucket. Their
 * clients are created once per process, so they must not be those of another bench.
 */
async function insideOf(dataFolder: string) {
  const { region, controlUrl, storeUrl, credentials } = await readOperator(dataFolder);
  const thread = new Worker(new URL('./queue-chunks.ts', import.meta.url), {
    env: {
      AWS_ENDPOINT_URL: controlUrl,
      AWS_ENDPOINT_URL_S3: storeUrl,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      TABLE_NAME: 'video-service-local',
      BUCKET_NAME: 'video-service-local',
      PARAMETER_PREFIX: '/video-service/local',
      POWERTOOLS_LOG_LEVEL: 'SILENT',
    },
  });
  const [workerToken] = await once(thread, 'message');
  const queueChunks = async (count: number): Promise<void> => {
    thread.postMessage(count);
    await once(thread, 'message');
  };
  return { queueChunks, workerToken: String(workerToken), end: () => thread.terminate() };
}
