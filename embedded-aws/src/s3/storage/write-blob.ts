import { type FileHandle, open } from 'node:fs/promises';
import type { Digest } from '../protocol/checksums.ts';

const batchBytes = 512 * 1024;

/**
 * Writes the chunks to a new file, passes each chunk to every digest, and returns the size. When this resolves, the
 * content is on the disk. Digests of one batch are computed while the batch before it is written.
 */
export async function writeBlob(
  path: string,
  chunks: AsyncIterable<Buffer>,
  digests: Iterable<Digest>,
): Promise<number> {
  const file = await open(path, 'wx');
  const writer = createBatchWriter(file);
  const allDigests = [...digests];
  try {
    for await (const chunk of chunks) {
      for (const digest of allDigests) digest.update(chunk);
      await writer.add(chunk);
    }
    await writer.flush();
    await file.datasync();
    return writer.sizeBytes();
  } finally {
    await writer.settled();
    await file.close();
  }
}

/** Collects chunks and writes them in batches, one batch at a time. */
function createBatchWriter(file: FileHandle) {
  let batch: Buffer[] = [];
  let batchedBytes = 0;
  let sizeBytes = 0;
  let writing: Promise<void> = Promise.resolve();

  async function write(buffers: Buffer[], bytes: number): Promise<void> {
    const { bytesWritten } = await file.writev(buffers);
    if (bytesWritten !== bytes) throw new Error(`Only ${bytesWritten} of ${bytes} bytes could be written`);
  }

  /** Waits for the batch before, then starts to write the collected chunks. */
  async function startBatch(): Promise<void> {
    await writing;
    if (batchedBytes === 0) return;
    sizeBytes += batchedBytes;
    writing = write(batch, batchedBytes);
    writing.catch(() => {}); // the next `await writing` throws it
    batch = [];
    batchedBytes = 0;
  }

  return {
    async add(chunk: Buffer): Promise<void> {
      batch.push(chunk);
      batchedBytes += chunk.length;
      if (batchedBytes >= batchBytes) await startBatch();
    },
    async flush(): Promise<void> {
      await startBatch();
      await writing;
    },
    /** Resolves when nothing is being written any more, also after an error. */
    settled: (): Promise<void> => writing.catch(() => {}),
    sizeBytes: (): number => sizeBytes,
  };
}
