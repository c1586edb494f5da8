import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { onTestFinished } from 'vitest';
import { type BucketSettings, type ObjectEvent, openS3, type S3, type S3Options } from '../../src/s3/s3-server.ts';
import { createPrincipal, createPrincipalLookup } from '../../src/testing/create-principal.ts';

export const region = 'eu-west-2';
export const accessKeyId = 'AKIDLOCALTEST';
export const secretAccessKey = 'secret/with+odd=characters';
export const bucketName = 'media';

export const bucket: BucketSettings = {
  name: bucketName,
  eventBridge: true,
  cors: [
    {
      allowedOrigins: ['https://app.example', 'https://*.preview.example'],
      allowedMethods: ['PUT', 'POST', 'GET'],
      allowedHeaders: ['*'],
      exposedHeaders: ['ETag', 'Location'],
      maxAgeSeconds: 3000,
    },
  ],
  lifecycle: { abortIncompleteMultipartDays: 7, expire: [{ prefix: 'logs/', days: 30 }] },
};

export type Running = {
  folder: string;
  endpoint: string;
  s3: S3;
  events: ObjectEvent[];
  client(config?: Partial<S3ClientConfig>): S3Client;
  /** Restarts the server on the same folder and port. */
  restart(changes?: Partial<S3Options>): Promise<void>;
};

/** Starts a server with one bucket on a free port. It is removed after the test. */
export async function runS3(changes: Partial<S3Options> = {}): Promise<Running> {
  const folder = changes.folder ?? (await mkdtemp(join(tmpdir(), 's3-')));
  const events: ObjectEvent[] = [];
  const open = (more: Partial<S3Options> = {}) =>
    openS3({
      folder,
      region,
      findPrincipal: createPrincipalLookup(createPrincipal({ accessKeyId, secretAccessKey })),
      buckets: [bucket, { name: 'other', cors: [], eventBridge: false }],
      onObjectCreated: (event) => {
        events.push(event);
      },
      ...changes,
      ...more,
    });
  const clients: S3Client[] = [];
  let s3 = await open();
  const server = createServer((request, response) => void s3.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  onTestFinished(async () => {
    for (const client of clients) client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await s3.close();
    await rm(folder, { recursive: true, force: true });
  });

  return {
    folder,
    endpoint,
    events,
    get s3() {
      return s3;
    },
    client(config = {}) {
      const client = new S3Client({
        endpoint,
        region,
        credentials: { accessKeyId, secretAccessKey },
        maxAttempts: 1,
        ...config,
      });
      clients.push(client);
      return client;
    },
    async restart(more) {
      await s3.close();
      s3 = await open(more);
    },
  };
}

/** `size` pseudo-random bytes. */
export function bytes(size: number, seed = 1): Buffer {
  const buffer = Buffer.alloc(size);
  let state = seed;
  for (let at = 0; at + 4 <= size; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    buffer.writeUInt32LE(state, at);
  }
  return buffer;
}

/** Code, status and message of the error of an SDK call. */
export async function failureOf(call: Promise<unknown>): Promise<{ code: string; status: number; message: string }> {
  try {
    await call;
  } catch (error) {
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    return { code: name, status: $metadata?.httpStatusCode ?? 0, message };
  }
  throw new Error('The call was expected to fail');
}
