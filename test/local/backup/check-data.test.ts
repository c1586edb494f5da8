import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findDamagedObjects } from 'embedded-aws';
import type { Blob } from 'embedded-aws/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DataFolder, deleteObject, makeDataFolder } from './sample-data-folder.ts';

const run = promisify(execFile);
let data: DataFolder;
let folder: string;
beforeEach(async () => {
  data = await makeDataFolder(await mkdtemp(join(tmpdir(), 'check-data-')), 3);
  folder = join(data.path, 's3');
});
afterEach(async () => {
  await data.close();
  await rm(data.path, { recursive: true });
});

const pathOf = ({ id }: Blob): string => join(folder, 'blobs', id);
const blobOf = (key: string): Blob => data.store.state.buckets.get('media')!.objects.get(key)!.blobs[0]!;
const md5 = (content: string | Buffer): Buffer => createHash('md5').update(content).digest();

async function* chunks(content: string) {
  yield Buffer.from(content);
}

test('objects are compared while the service runs, and nothing is reported of those that are whole', async () => {
  expect(await findDamagedObjects(data.path)).toEqual({ objects: 3, damaged: [] });
});

test('flipped bytes, shorter and missing files are reported with their objects and paths', async () => {
  const [flipped, short, missing] = [0, 1, 2].map((index) => pathOf(blobOf(`object-${index}`)));
  await writeFile(flipped!, 'content 7');
  await writeFile(short!, 'content');
  await rm(missing!);
  const { damaged } = await findDamagedObjects(data.path);
  expect(damaged).toMatchObject([
    { name: 'media/object-0', problem: `${flipped} has other bytes than were stored.` },
    { name: 'media/object-1', problem: `${short} has 7 bytes instead of 9.` },
    { name: 'media/object-2', problem: `${missing} is missing.` },
  ]);
});

test('objects and uploads that have parts are compared, too', async () => {
  const { blobs, commit, nextSequencer } = data.store;
  const parts = [await blobs.write(chunks('one'), []), await blobs.write(chunks('two'), [])];
  const etag = `${md5(Buffer.concat([md5('one'), md5('two')])).toString('hex')}-2`;
  const object = { bucket: 'media', sizeBytes: 6, modifiedMs: 0, headers: {} };
  await commit({ type: 'put', object: { ...object, key: 'joined', blobs: parts, etag, sequencer: nextSequencer() } });
  // A copy has no parts.
  const copies = [await blobs.duplicate(parts[0]!), await blobs.duplicate(parts[1]!)];
  const copy = { ...object, key: 'copy', blobs: copies, etag: md5('onetwo').toString('hex') };
  await commit({ type: 'put', object: { ...copy, sequencer: nextSequencer() } });
  const upload = { id: 'u', bucket: 'media', key: 'new', initiatedMs: 0, headers: {} };
  await commit({ type: 'upload', upload });
  const part = await blobs.write(chunks('three'), []);
  const stored = { number: 1, blob: part, etag: md5('three').toString('hex'), modifiedMs: 0 };
  await commit({ type: 'part', uploadId: 'u', part: stored });
  expect(await findDamagedObjects(data.path)).toEqual({ objects: 6, damaged: [] });

  await rm(pathOf(copies[1]!));
  await writeFile(pathOf(copies[1]!), 'twx');
  await writeFile(pathOf(part), 'threx');
  const { damaged } = await findDamagedObjects(data.path);
  expect(damaged.map(({ name }) => name)).toEqual(['media/copy', 'media/new, part 1 of an upload']);
  expect(damaged[0]?.problem).toContain(copies.map(pathOf).join(' '));
});

test('an object that is deleted during the check is not reported', async () => {
  const [first, second] = [0, 1].map((index) => pathOf(blobOf(`object-${index}`)));
  await rm(first!);
  await run('mkfifo', [first!]);
  const found = findDamagedObjects(data.path);
  // Opens when the check reads the first object, which it does after the journal.
  const pipe = await open(first!, 'w');
  await deleteObject(data.store, 'object-1');
  await expect.poll(() => existsSync(second!)).toBe(false);
  await pipe.write('content 0');
  await pipe.close();
  expect(await found).toEqual({ objects: 3, damaged: [] });
});

const check = (path: string, ...args: string[]) =>
  run(process.execPath, ['local/backup/check-data.ts', ...args], { env: { ...process.env, DATA_DIR: path } });

test('the command prints what is damaged and exits with 1, and says what to do about a wrong folder', async () => {
  expect((await check(data.path)).stdout).toBe(`${data.path}: 3 objects, all as they were stored.\n`);
  await writeFile(pathOf(blobOf('object-0')), 'content 7');
  const failed = await check(data.path).catch((error) => error);
  expect(failed).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^DAMAGED media\/object-0: .*\n1 of 3 objects/),
  });
  const wrong = await check(join(data.path, 'dynamodb')).catch((error) => error);
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('set DATA_DIR to the folder of the service'),
  });
});
