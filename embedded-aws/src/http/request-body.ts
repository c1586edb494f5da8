import type { IncomingMessage } from 'node:http';

export class BodyTooLarge extends Error {
  constructor(limitBytes: number) {
    super(`The request body is larger than ${limitBytes} bytes.`);
    this.name = 'BodyTooLarge';
  }
}

/**
 * Reads the body of a request. The part of a body over the limit is read and discarded, so that the client receives the
 * response.
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
