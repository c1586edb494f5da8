import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { openAccessLog } from '../../../../infra/local/proxy/access-log.ts';
import type { Access } from '../../../../shared/delivery/access-log.ts';
import { bucketName, runS3 } from '../../embedded-aws/s3/running.ts';

const access: Access = {
  time: '2026-11-21T10:00:00.000Z',
  node: 'local',
  method: 'GET',
  path: '/videos/x/1.m4s',
  session: 's1',
  status: 200,
  bytes: 100,
  durationSeconds: 0.01,
  remoteAddress: '127.0.0.1',
  userAgent: '',
};

async function fixture() {
  const s3 = await runS3();
  const store = s3.client();
  const folder = await mkdtemp(join(tmpdir(), 'access-log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const errors: unknown[] = [];
  const open = async () => {
    const onError = (error: unknown) => errors.push(error);
    const log = await openAccessLog({ folder, name: 'local', store, bucket: bucketName, onError });
    onTestFinished(log.close);
    return log;
  };
  const shipped = async (): Promise<Record<string, string>> => {
    const { Contents = [] } = await store.send(new ListObjectsV2Command({ Bucket: bucketName, Prefix: 'logs/' }));
    const read = Contents.map(async ({ Key }) => {
      const { Body } = await store.send(new GetObjectCommand({ Bucket: bucketName, Key }));
      return [Key!, await text((Body as NodeJS.ReadableStream).pipe(createGunzip()))];
    });
    return Object.fromEntries(await Promise.all(read));
  };
  return { folder, open, shipped, errors };
}

test('lines are uploaded as one object, and the local piece is removed', async () => {
  const { folder, open, shipped, errors } = await fixture();
  const log = await open();
  log.write(access);
  log.write({ ...access, session: 's2' });
  await log.ship();
  await log.ship();
  const [[key, lines], ...others] = Object.entries(await shipped()) as [[string, string]];
  expect(key).toMatch(/^logs\/access\/local\/\d+\.jsonl\.gz$/);
  expect(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([access, { ...access, session: 's2' }]);
  expect([others, await readdir(folder), errors]).toEqual([[], [], []]);
});

test('pieces that a process left are uploaded by the next one under the same name', async () => {
  const { folder, open, shipped } = await fixture();
  await writeFile(join(folder, '1763719200000.jsonl'), 'once\n');
  await (await open()).ship();
  await writeFile(join(folder, '1763719200000.jsonl'), 'twice\n');
  await (await open()).ship();
  expect([await shipped(), await readdir(folder)]).toEqual([
    { 'logs/access/local/1763719200000.jsonl.gz': 'once\n' },
    [],
  ]);
});
