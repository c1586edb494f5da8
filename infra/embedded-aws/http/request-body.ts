import type { IncomingMessage } from 'node:http';

export class BodyTooLarge extends Error {
  constructor(limitBytes: number) {
    super(`The request body is over ${limitBytes} bytes.`);
    this.name = 'BodyTooLarge';
  }
}

/**
 * The whole body of a request. What is over the limit is read and dropped, so that the client, which sends before it reads, gets its answer.
 * @throws BodyTooLarge
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (bytes > limitBytes) throw new BodyTooLarge(limitBytes);
  return Buffer.concat(chunks);
}
