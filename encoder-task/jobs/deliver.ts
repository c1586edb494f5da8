import type { DeliverSpec, JobResult } from '../../shared/protocol/jobs.ts';
import { createBufferPool } from '../deliver/buffer-pool.ts';
import { copyFiles, parallelFiles } from '../deliver/copy-files.ts';
import { createPieceReader } from '../deliver/pieces.ts';
import { storagePace } from '../deliver/storage-errors.ts';
import { createTargetClient } from '../deliver/target-client.ts';
import { createPace } from '../ingest/pace.ts';
import type { JobContext } from './job-context.ts';

const firstDelayMs = 500;
/** Beside an encode, a worker has little memory to spare. */
const pieceMemoryBytes = 16 * 2 ** 20;

/** Copies files to the store of a user. Its URLs are never logged. */
export async function deliver(context: JobContext<DeliverSpec>): Promise<JobResult<'deliver'>> {
  const { spec, limits, folder, signal } = context;
  const stallMs = limits.stallSeconds * 1000;
  const pool = createBufferPool(pieceMemoryBytes);
  const connections = parallelFiles;
  const reader = createPieceReader({ pool, folder, connections, signal, stallMs });
  const client = createTargetClient({ allowLoopback: spec.allowLoopback, connections, stallMs });
  try {
    const pace = createPace(undefined, storagePace);
    const { files, bytes } = await copyFiles({ ...context, reader, client, pace, firstDelayMs }, spec);
    return { files, bytes, cpuSeconds: 0 };
  } finally {
    reader.close();
    client.close();
  }
}
