import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { responseOf } from '../../shared/response-of.ts';
import { checkStatus, type SignedUrl, storeFetch } from '../transfer/store-fetch.ts';
import type { BufferPool } from './buffer-pool.ts';

/** Larger pieces are kept in a file: parts of files of more than 80 GiB. */
export const maxPieceInMemoryBytes = 16 * 2 ** 20;
const writtenBytes = 256 * 1024;

/** A file or a part of one on its way. It can be sent more than once. */
export type Piece = {
  bytes: number;
  md5Base64: string;
  md5Hex: string;
  read: () => Readable;
  release: () => Promise<void>;
};

/** Reads pieces of files in the service's own store. */
export type PieceReader = {
  read: (range: { urlOf: SignedUrl; startByte: number; endByte: number; isWhole: boolean }) => Promise<Piece>;
  close: () => void;
};

type Options = { pool: BufferPool; folder: string; connections: number; signal: AbortSignal; stallMs: number };

export function createPieceReader({ pool, folder, connections, signal, stallMs }: Options): PieceReader {
  const options = { keepAlive: true, maxSockets: connections };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  let files = 0;

  const get = async (url: string, range: string | undefined): Promise<IncomingMessage> => {
    const { protocol } = new URL(url);
    const headers = { 'accept-encoding': 'identity', ...(range !== undefined && { range }) };
    const isSecure = protocol === 'https:';
    const agent = isSecure ? agents['https:'] : agents['http:'];
    const request = (isSecure ? https : http).request(url, { agent, headers, signal });
    request.setTimeout(stallMs, () => request.destroy(new Error('the object store stopped sending')));
    request.end();
    const response = await responseOf(request);
    try {
      checkStatus(response.statusCode ?? 0);
    } catch (error) {
      response.resume();
      throw error;
    }
    return response;
  };

  return {
    read: async ({ urlOf, startByte, endByte, isWhole }) => {
      const bytes = endByte - startByte;
      const body = bytes <= maxPieceInMemoryBytes ? await inMemory(pool, bytes) : await inFile(folder, `${files++}`);
      try {
        const md5 = await storeFetch(urlOf, signal, async (url) => {
          const hash = createHash('md5');
          let at = 0;
          const response = await get(url, isWhole ? undefined : `bytes=${startByte}-${endByte - 1}`);
          for await (const chunk of response as AsyncIterable<Buffer>) {
            if (at + chunk.length > bytes) {
              response.destroy();
              throw new Error('the object store sent more bytes than the file has');
            }
            hash.update(chunk);
            await body.write(chunk, at);
            at += chunk.length;
          }
          if (at !== bytes) throw new Error('the object store sent fewer bytes than the file has');
          return hash.digest();
        });
        return {
          bytes,
          md5Base64: md5.toString('base64'),
          md5Hex: md5.toString('hex'),
          read: () => body.read(bytes),
          release: body.release,
        };
      } catch (error) {
        await body.release();
        throw error;
      }
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

type Body = {
  write: (chunk: Buffer, position: number) => unknown;
  read: (bytes: number) => Readable;
  release: () => Promise<void>;
};

async function inMemory(pool: BufferPool, bytes: number): Promise<Body> {
  const buffer = await pool.take(bytes);
  function* slices(): Generator<Buffer> {
    for (let at = 0; at < bytes; at += writtenBytes) yield buffer.subarray(at, Math.min(bytes, at + writtenBytes));
  }
  return {
    write: (chunk, position) => chunk.copy(buffer, position),
    read: () => Readable.from(slices()),
    release: async () => pool.give(buffer),
  };
}

async function inFile(folder: string, name: string): Promise<Body> {
  const path = join(folder, `piece-${name}`);
  const file = await open(path, 'w');
  return {
    write: (chunk, position) => writeAll(file, chunk, position),
    read: (bytes) => createReadStream(path, { end: bytes - 1 }),
    release: async () => {
      await file.close();
      await unlink(path);
    },
  };
}

async function writeAll(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let from = 0; from < chunk.length; ) {
    from += (await file.write(chunk, from, chunk.length - from, position + from)).bytesWritten;
  }
}
