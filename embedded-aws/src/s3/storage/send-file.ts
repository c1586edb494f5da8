import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';

const bufferBytes = 256 * 1024;

/**
 * Writes the bytes [from, to) of a file to a response. Two buffers are used in turn: one is read while the other is
 * sent. With a new buffer for each chunk, large reads would cause a garbage collection of the heap every few megabytes.
 * @throws when the client has left
 */
export async function sendFile(path: string, from: number, to: number, response: Writable): Promise<void> {
  const size = Math.min(bufferBytes, to - from);
  let buffer = Buffer.allocUnsafe(size);
  let other = Buffer.allocUnsafe(size);
  const closed = closing(response);
  const file = await open(path, 'r');
  let written: Promise<unknown> = Promise.resolve();
  try {
    for (let position = from; position < to; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(size, to - position), position);
      if (bytesRead === 0) throw new Error('The file of a blob is shorter than its record.');
      await written;
      written = Promise.race([write(response, buffer.subarray(0, bytesRead)), closed.promise]);
      written.catch(() => {}); // the next `await written` throws it
      position += bytesRead;
      [buffer, other] = [other, buffer];
    }
    await written;
  } finally {
    closed.ignore();
    await file.close();
  }
}

const write = (response: Writable, chunk: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

/** Rejects when the response closes: a write that waits for an earlier response would then never end. */
function closing(response: Writable) {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const onClose = () => reject(new Error('The client has closed the connection.'));
  if (response.destroyed) onClose();
  response.once('close', onClose);
  return { promise, ignore: () => response.off('close', onClose) };
}
