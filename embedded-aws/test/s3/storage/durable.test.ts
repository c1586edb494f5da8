import { type ChildProcess, fork } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, onTestFinished, test } from 'vitest';
import { type ObjectEvent, openS3 } from '../../../src/s3/s3-server.ts';
import { createPrincipal, createPrincipalLookup } from '../../../src/testing/create-principal.ts';
import { accessKeyId, bucketName as Bucket, bucket, bytes, region, runS3, secretAccessKey } from '../running.ts';

const plain = { requestChecksumCalculation: 'WHEN_REQUIRED' } as const;

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 's3-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a server in a process that can be killed. */
async function spawnS3(folder: string): Promise<{ client: S3Client; kill(): Promise<void>; events: ObjectEvent[] }> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'serve.ts'), [folder]);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const events: ObjectEvent[] = [];
  const port = await new Promise<number>((resolve) => {
    child.on('message', (message: { port: number } | { event: ObjectEvent }) => {
      if ('port' in message) resolve(message.port);
      else events.push(message.event);
    });
  });
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
    ...plain,
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
    client.destroy();
  };
  onTestFinished(kill);
  return { client, kill, events };
}

async function text(s3: S3Client, Key: string): Promise<string> {
  return (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body!.transformToString();
}

test('acknowledged writes survive a kill, and others leave nothing', async () => {
  const folder = await temporaryFolder();
  const first = await spawnS3(folder);
  const answered = new Set<string>();
  const write = async (writer: number) => {
    for (let i = 0; ; i++) {
      const Key = `${writer}/${i}`;
      await first.client.send(new PutObjectCommand({ Bucket, Key, Body: `${Key} `.repeat(5000) }));
      answered.add(Key);
    }
  };
  const writers = Promise.allSettled([0, 1, 2, 3].map(write));
  await expect.poll(() => answered.size).toBeGreaterThan(40);
  await first.kill();
  await writers;

  const second = await spawnS3(folder);
  const { Contents = [] } = await second.client.send(new ListObjectsV2Command({ Bucket }));
  const listed = Contents.map((object) => object.Key!);
  expect(listed).toEqual(expect.arrayContaining([...answered]));
  for (const Key of listed) expect(await text(second.client, Key)).toBe(`${Key} `.repeat(5000));
  expect(await readdir(join(folder, 'blobs'))).toHaveLength(listed.length);
});

test('an upload continues after a kill with its stored parts', async () => {
  const folder = await temporaryFolder();
  const first = await spawnS3(folder);
  const { UploadId } = await first.client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'k' }));
  const [one, two] = [bytes(5 << 20, 1), bytes(99, 2)];
  await first.client.send(new UploadPartCommand({ Bucket, Key: 'k', UploadId, PartNumber: 1, Body: one }));
  await first.kill();

  const second = await spawnS3(folder);
  const { Parts: kept } = await second.client.send(new ListPartsCommand({ Bucket, Key: 'k', UploadId }));
  const { ETag } = await second.client.send(
    new UploadPartCommand({ Bucket, Key: 'k', UploadId, PartNumber: 2, Body: two }),
  );
  const Parts = [...kept!.map((part) => ({ PartNumber: part.PartNumber, ETag: part.ETag })), { PartNumber: 2, ETag }];
  await second.client.send(
    new CompleteMultipartUploadCommand({ Bucket, Key: 'k', UploadId, MultipartUpload: { Parts } }),
  );
  await second.kill();

  const third = await spawnS3(folder);
  const got = await third.client.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  expect(Buffer.from(await got.Body!.transformToByteArray()).equals(Buffer.concat([one, two]))).toBe(true);
});

test('an event that was not accepted is delivered again, also after a kill', async () => {
  const folder = await temporaryFolder();
  const first = await spawnS3(folder);
  await first.client.send(new PutObjectCommand({ Bucket, Key: 'refused', Body: 'x' }));
  await first.client.send(new PutObjectCommand({ Bucket, Key: 'taken', Body: 'x' }));
  await expect.poll(() => first.events.filter((event) => event.key === 'refused').length).toBeGreaterThan(1);
  await expect.poll(() => first.events.filter((event) => event.key === 'taken')).toHaveLength(1);
  await first.kill();

  const second = await spawnS3(folder);
  await expect.poll(() => second.events.some((event) => event.key === 'refused')).toBe(true);
});

test('accepted events are not repeated after a restart, and sequencers give their order', async () => {
  const running = await runS3();
  const s3 = running.client();
  for (const Key of ['a', 'b']) await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
  await s3.send(new PutObjectCommand({ Bucket: 'other', Key: 'silent', Body: 'x' }));
  await running.restart();
  await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'again' }));
  await expect.poll(() => running.events.map((event) => event.key)).toEqual(['a', 'b', 'a']);
  const sequencers = running.events.map((event) => event.sequencer);
  expect([...sequencers].sort()).toEqual(sequencers);
  expect(new Set(sequencers).size).toBe(3);
});

test('an interrupted body leaves nothing', async () => {
  const { endpoint, client, folder } = await runS3();
  const s3 = client(plain);
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'k' }));
  const url = await getSignedUrl(s3, new UploadPartCommand({ Bucket, Key: 'k', UploadId, PartNumber: 1 }));
  await new Promise<void>((resolve) => {
    const sent = request(url, { method: 'PUT', headers: { 'content-length': 1 << 20 } });
    sent.on('error', () => {});
    sent.on('close', resolve);
    sent.write(bytes(100_000), () => sent.destroy());
  });
  await expect.poll(() => readdir(join(folder, 'blobs'))).toEqual([]);
  expect((await s3.send(new ListPartsCommand({ Bucket, Key: 'k', UploadId }))).Parts ?? []).toEqual([]);
  expect((await fetch(endpoint)).status).toBe(403);
});

const settings = (folder: string) => ({
  folder,
  region,
  findPrincipal: createPrincipalLookup(createPrincipal({ accessKeyId, secretAccessKey })),
  buckets: [bucket],
  onObjectCreated: () => {},
});

async function folderWith(keys: string[]): Promise<string> {
  const running = await runS3({ folder: await temporaryFolder() });
  for (const Key of keys) await running.client().send(new PutObjectCommand({ Bucket, Key, Body: Key }));
  await running.restart();
  return running.folder;
}

test('an incomplete last line and unreferenced files are removed at the start', async () => {
  const folder = await folderWith(['a', 'b']);
  const journal = join(folder, 'journal');
  const whole = await readFile(journal);
  // Before the end of the machine the proof had the beginning only.
  await rm(`${journal}.proof`);
  await appendFile(journal, '1234abcd {"type":"put","obj');
  await writeFile(join(folder, 'blobs', 'half-written'), 'x');
  await writeFile(join(folder, 'journal.new'), 'x');
  await (await openS3(settings(folder))).close();
  expect(await readFile(journal)).toEqual(whole);
  expect(await readdir(folder)).toEqual(['blobs', 'journal', 'journal.proof']);
  expect(await readdir(join(folder, 'blobs'))).toHaveLength(2);
});

test('a journal truncated anywhere by the end of the machine restores an earlier state', async () => {
  const folder = await folderWith(['a', 'b']);
  const journal = join(folder, 'journal');
  const { length } = await readFile(journal);
  for (let size = length; size > 0; size -= 97) {
    await truncate(journal, size);
    await rm(`${journal}.proof`);
    await (await openS3(settings(folder))).close();
    const kept = await readFile(journal, 'latin1');
    expect(kept === '' || kept.endsWith('\n')).toBe(true);
  }
});

test('files that objects refer to are not removed with their journal, and none may be missing or shorter', async () => {
  const folder = await folderWith(['a', 'b']);
  const blobs = await readdir(join(folder, 'blobs'));
  const journal = await readFile(join(folder, 'journal'));
  for (const name of ['journal', 'journal.proof']) await rm(join(folder, name));
  await expect(openS3(settings(folder))).rejects.toThrow('journal is missing.');
  expect(await readdir(join(folder, 'blobs'))).toEqual(blobs);
  await writeFile(join(folder, 'journal'), journal);
  await truncate(join(folder, 'blobs', blobs[0]!), 0);
  await expect(openS3(settings(folder))).rejects.toThrow(`${blobs[0]} has 0 bytes instead of 1.`);
  await rm(join(folder, 'blobs', blobs[0]!));
  await expect(openS3(settings(folder))).rejects.toThrow(`${blobs[0]} is missing.`);
});

test('a journal that is damaged in the middle is not opened, so that nothing is lost', async () => {
  const folder = await folderWith(['a', 'b']);
  const journal = join(folder, 'journal');
  const damaged = (await readFile(journal, 'latin1')).replace('"type"', '"tYpe"');
  await writeFile(journal, damaged, 'latin1');
  await expect(openS3(settings(folder))).rejects.toThrow('damaged');
  expect(await readFile(journal, 'latin1')).toBe(damaged);
  expect(await readdir(join(folder, 'blobs'))).toHaveLength(2);
});

test('replaced and deleted objects free their files', async () => {
  const { client, folder } = await runS3();
  const s3 = client();
  for (const Body of ['1', '2', '3']) await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body }));
  await expect.poll(() => readdir(join(folder, 'blobs'))).toHaveLength(1);
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
  await expect.poll(() => readdir(join(folder, 'blobs'))).toEqual([]);
});
