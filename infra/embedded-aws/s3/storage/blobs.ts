import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '../protocol/checksums.ts';

/** Bytes on disk that never change: a whole object, or one part of a multipart object. */
export type Blob = { id: string; sizeBytes: number };

const batchBytes = 1 << 19;
const readBytes = 256 << 10;

export type Blobs = Awaited<ReturnType<typeof openBlobs>>;

/** A folder of blobs. Names are made here, never taken from a client. What no record names is dropped by `sweep`. */
export async function openBlobs(folder: string) {
  await mkdir(folder, { recursive: true });
  const directory = await open(folder, 'r');
  const readers = new Map<string, number>();
  const doomed = new Set<string>();
  let holds = 0;
  const held: string[] = [];
  const pathOf = (id: string) => join(folder, id);

  function discard(id: string): void {
    if (holds > 0) return void held.push(id);
    // A file left behind here is swept at the next start.
    unlink(pathOf(id)).catch(() => {});
  }

  function release(id: string): void {
    const left = readers.get(id)! - 1;
    if (left > 0) {
      readers.set(id, left);
      return;
    }
    readers.delete(id);
    if (doomed.delete(id)) discard(id);
  }

  return {
    /**
     * Stores the chunks and feeds each to every digest. On disk for good when it resolves. Hashing a batch overlaps with
     * writing the one before.
     */
    async receive(chunks: AsyncIterable<Buffer>, digests: Iterable<Digest>): Promise<Blob> {
      const blob = { id: randomBytes(16).toString('hex'), sizeBytes: 0 };
      const file = await open(pathOf(blob.id), 'wx');
      const hashes = [...digests];
      let batch: Buffer[] = [];
      let batched = 0;
      let writing: Promise<unknown> = Promise.resolve();

      async function write(buffers: Buffer[], bytes: number): Promise<void> {
        const { bytesWritten } = await file.writev(buffers);
        if (bytesWritten !== bytes) throw new Error(`Only ${bytesWritten} of ${bytes} bytes could be written`);
      }

      try {
        for await (const chunk of chunks) {
          for (const hash of hashes) hash.update(chunk);
          batch.push(chunk);
          batched += chunk.length;
          if (batched < batchBytes) continue;
          await writing;
          blob.sizeBytes += batched;
          writing = write(batch, batched);
          writing.catch(() => {}); // seen by the next await
          batch = [];
          batched = 0;
        }
        await writing;
        if (batched > 0) await write(batch, batched);
        blob.sizeBytes += batched;
        await file.datasync();
        await file.close();
        await directory.sync();
        return blob;
      } catch (error) {
        await writing.catch(() => {});
        await file.close().catch(() => {});
        discard(blob.id);
        throw error;
      }
    },

    /** Another name for the same bytes, without copying them. */
    async duplicate(blob: Blob): Promise<Blob> {
      const id = randomBytes(16).toString('hex');
      await link(pathOf(blob.id), pathOf(id));
      await directory.sync();
      return { id, sizeBytes: blob.sizeBytes };
    },

    /** Runs `use` while the blobs can be read, even if they are removed meanwhile. */
    async keeping<T>(blobs: Blob[], use: () => Promise<T>): Promise<T> {
      for (const { id } of blobs) readers.set(id, (readers.get(id) ?? 0) + 1);
      try {
        return await use();
      } finally {
        for (const { id } of blobs) release(id);
      }
    },

    /** The bytes [start, end) of the blobs put together. To be used inside `keeping`. */
    async *read(blobs: Blob[], start: number, end: number): AsyncGenerator<Buffer> {
      let offset = 0;
      for (const { id, sizeBytes } of blobs) {
        const [from, to] = [Math.max(start - offset, 0), Math.min(end - offset, sizeBytes)];
        offset += sizeBytes;
        if (from >= to) continue;
        const file = await open(pathOf(id), 'r');
        yield* file.createReadStream({ start: from, end: to - 1, highWaterMark: readBytes });
      }
    },

    /** Keeps the files of removed blobs until `release`. */
    hold() {
      holds += 1;
      return {
        release(): void {
          holds -= 1;
          if (holds === 0) for (const id of held.splice(0)) discard(id);
        },
      };
    },

    remove(ids: Iterable<string>): void {
      for (const id of ids) {
        if (readers.has(id)) doomed.add(id);
        else discard(id);
      }
    },

    /** Removes what a crash left half-written or unnamed. */
    async sweep(named: Set<string>): Promise<void> {
      for (const id of await readdir(folder)) if (!named.has(id)) await unlink(pathOf(id));
    },

    close: () => directory.close(),
  };
}
