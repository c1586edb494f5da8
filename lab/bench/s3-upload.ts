// Speed of a large multipart upload to the embedded S3, compared with a plain copy of as many bytes to the same disk.
// node lab/bench/s3-upload.ts [GiB]      prints one JSON line

import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createPrincipal, createPrincipalLookup, openS3 } from 'embedded-aws/testing';
import { peakRssBytes } from './peak-memory.ts';

const partBytes = 16 << 20;
const partsAtOnce = 4;
const credentials = { accessKeyId: 'AKIDBENCH', secretAccessKey: 'bench' };
const region = 'us-east-1';
const Bucket = 'bench';
const Key = 'upload.bin';

async function serve(folder: string): Promise<void> {
  const s3 = await openS3({
    folder,
    region,
    findPrincipal: createPrincipalLookup(createPrincipal(credentials)),
    buckets: [{ name: Bucket, cors: [], eventBridge: false }],
    onObjectCreated: () => {},
  });
  const server = createServer((request, response) => void s3.handle(request, response));
  server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
  process.on('message', () => process.send!({ peakRssBytes: peakRssBytes() }));
}

function messageOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}`)));
  });
}

async function upload(port: number, part: Buffer, parts: number): Promise<void> {
  const client = new S3Client({ endpoint: `http://127.0.0.1:${port}`, region, credentials });
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const done: { PartNumber: number; ETag: string | undefined }[] = [];
  let next = 1;
  async function uploadRest(): Promise<void> {
    for (let PartNumber = next++; PartNumber <= parts; PartNumber = next++) {
      const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: part }));
      done.push({ PartNumber, ETag });
    }
  }
  await Promise.all(Array.from({ length: partsAtOnce }, uploadRest));
  const Parts = done.sort((a, b) => a.PartNumber - b.PartNumber);
  await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
  const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key }));
  if (ContentLength !== parts * part.length) throw new Error(`Only ${ContentLength} bytes arrived`);
  client.destroy();
}

/** As `dd conv=fsync`. */
async function copy(path: string, part: Buffer, parts: number): Promise<void> {
  const file = await open(path, 'w');
  for (let i = 0; i < parts; i++) await file.write(part);
  await file.sync();
  await file.close();
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function measure(gib: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 's3-bench-'));
  const child = fork(import.meta.filename, ['serve', join(folder, 's3')]);
  try {
    const { port } = await messageOf<{ port: number }>(child);
    const parts = Math.ceil((gib * 1024 ** 3) / partBytes);
    const part = Buffer.alloc(partBytes, 'not all zero, which some disks would not write');
    const copySeconds = await secondsOf(() => copy(join(folder, 'copy'), part, parts));
    await rm(join(folder, 'copy'));
    const seconds = await secondsOf(() => upload(port, part, parts));
    child.send('rss');
    const { peakRssBytes } = await messageOf<{ peakRssBytes: number }>(child);
    const bytes = parts * partBytes;
    const mibPerSecond = Math.round(bytes / 2 ** 20 / seconds);
    const ratio = Number((copySeconds / seconds).toFixed(3));
    console.log(
      JSON.stringify({
        name: 's3-upload',
        bytes,
        seconds: Number(seconds.toFixed(2)),
        mibPerSecond,
        peakRssBytes,
        ratio,
      }),
    );
  } finally {
    child.removeAllListeners('exit');
    child.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

const [first, folder] = process.argv.slice(2);
if (first === 'serve' && folder) await serve(folder);
else await measure(Number(first ?? 2));
