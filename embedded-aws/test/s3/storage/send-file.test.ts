import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendFile } from '../../../src/s3/storage/send-file.ts';

const content = randomBytes(1_500_000);
let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'send-file-'));
  path = join(folder, 'blob');
  await writeFile(path, content);
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['several buffers', 10, 1_400_000],
  ['one buffer', 700_000, 700_100],
])('a slow client receives exactly the bytes of a range: %s', async (_, from, to) => {
  const received: Buffer[] = [];
  const client = new Writable({
    highWaterMark: 1,
    async write(chunk: Buffer, _encoding, done) {
      // A buffer that was filled again too early would have other bytes by now.
      await sleep(5);
      received.push(Buffer.from(chunk));
      done();
    },
  });
  await sendFile(path, from, to, client);
  expect(Buffer.concat(received).equals(content.subarray(from, to))).toBe(true);
});

test('it ends with an error when the client leaves, also while nothing is read', async () => {
  const client = new PassThrough({ highWaterMark: 1 });
  const sent = sendFile(path, 0, content.length, client);
  await once(client, 'readable');
  client.destroy();
  await expect(sent).rejects.toThrow();
});

test('it fails for a file that is shorter than its record', async () => {
  await expect(sendFile(path, 0, content.length + 1, new PassThrough().resume())).rejects.toThrow('shorter');
});
