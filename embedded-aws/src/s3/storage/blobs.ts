import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { link, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { DamagedData } from '../../durable/damaged-data.ts';
import type { Digest } from '../protocol/checksums.ts';
import { createBlobRemoval } from './blob-removal.ts';
import { sendFile } from './send-file.ts';
import { writeBlob } from './write-blob.ts';

/** An immutable file: the content of an object, or one part of a multipart object. */
export type Blob = { id: string; sizeBytes: number };

const readBytes = 256 * 1024;

export type Blobs = Awaited<ReturnType<typeof openBlobs>>;

/** Opens a folder of blobs. Their ids are random and never contain input of a client. */
export async function openBlobs(folder: string) {
  await mkdir(folder, { recursive: true });
  const directory = await open(folder, 'r');
  const pathOf = (id: string): string => join(folder, id);
  const newId = (): string => randomBytes(16).toString('hex');
  const removal = createBlobRemoval((id) => void unlink(pathOf(id)).catch(() => {}));

  return {
    /** Stores the chunks and passes each to every digest. When this resolves, the blob survives a power failure. */
    async write(chunks: AsyncIterable<Buffer>, digests: Iterable<Digest>): Promise<Blob> {
      const id = newId();
      try {
        const sizeBytes = await writeBlob(pathOf(id), chunks, digests);
        await directory.sync();
        return { id, sizeBytes };
      } catch (error) {
        removal.remove([id]);
        throw error;
      }
    },

    /** Makes a second blob of the same content without copying it. */
    async duplicate({ id: source, sizeBytes }: Blob): Promise<Blob> {
      const id = newId();
      await link(pathOf(source), pathOf(id));
      await directory.sync();
      return { id, sizeBytes };
    },

    /** Runs `use`, during which the blobs can be read even if they are removed. */
    retain: <T>(blobs: Blob[], use: () => Promise<T>): Promise<T> =>
      removal.retain(
        blobs.map(({ id }) => id),
        use,
      ),

    /** Reads the bytes [start, end) of the concatenated blobs. Call it inside `retain`. */
    async *read(blobs: Blob[], start: number, end: number): AsyncGenerator<Buffer> {
      for (const { id, from, to } of slices(blobs, start, end)) {
        const file = await open(pathOf(id), 'r');
        yield* file.createReadStream({ start: from, end: to - 1, highWaterMark: readBytes });
      }
    },

    /** Writes the same bytes to a response and ends it. Call it inside `retain`. @throws when the client has left */
    async send(blobs: Blob[], start: number, end: number, response: Writable): Promise<void> {
      for (const { id, from, to } of slices(blobs, start, end)) await sendFile(pathOf(id), from, to, response);
      response.end();
    },

    hold: removal.hold,
    remove: removal.remove,

    /**
     * Deletes the files that no object or part refers to, which only a crash leaves. Expects the sizes of the others.
     * @throws DamagedData when one of these is missing or has another size
     */
    async removeUnreferenced(referenced: ReadonlyMap<string, number>): Promise<void> {
      const present = new Set(await readdir(folder));
      for (const [id, sizeBytes] of referenced) {
        if (!present.has(id)) throw new DamagedData(pathOf(id), 'is missing.');
        // Asking a thread for each of a hundred thousand files takes ten times as long.
        const { size } = statSync(pathOf(id));
        if (size !== sizeBytes) throw new DamagedData(pathOf(id), `has ${size} bytes instead of ${sizeBytes}.`);
      }
      for (const id of present) if (!referenced.has(id)) await unlink(pathOf(id));
    },

    close: () => directory.close(),
  };
}

/** The parts of the blobs that contain the bytes [start, end) of all. */
function* slices(blobs: Blob[], start: number, end: number) {
  let offset = 0;
  for (const { id, sizeBytes } of blobs) {
    const [from, to] = [Math.max(start - offset, 0), Math.min(end - offset, sizeBytes)];
    offset += sizeBytes;
    if (from < to) yield { id, from, to };
  }
}
