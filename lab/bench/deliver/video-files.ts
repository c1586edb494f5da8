import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { DeliveredFile } from '../../../functions/storage-deliveries/file-pages.ts';
import { videoPrefix } from '../../../shared/object-keys.ts';

const mebibyte = 2 ** 20;
/** As those of two hours in segments of 8 s with 2 Mbit/s, and an MP4 file of the same film in a smaller picture. */
const segments = { count: 900, bytes: 2 * mebibyte };
const mp4Bytes = 200 * mebibyte;

/** Makes the files of a video in a folder: 2 GB of segments, an MP4 file and a playlist. */
export async function makeVideoFiles(folder: string): Promise<DeliveredFile[]> {
  const noise = randomBytes(segments.bytes);
  const files: DeliveredFile[] = [];
  const make = async (path: string, body: Buffer, stage: number): Promise<void> => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, body);
    files.push({ source: '', path, bytes: body.length, stage, replaceable: false });
  };
  for (let number = 0; number < segments.count; number++) {
    noise.writeUInt32BE(number);
    await make(`hls/r1/${number}.m4s`, noise, 0);
  }
  await make('file/video.mp4', randomBytes(mp4Bytes), 0);
  await make('hls/master.m3u8', Buffer.from('#EXTM3U\n'), 3);
  return files;
}

/** Stores the files of a folder in the store of the service, as those of a video. */
export async function storeVideoFiles(
  folder: string,
  files: readonly DeliveredFile[],
  videoUlid: string,
): Promise<DeliveredFile[]> {
  const store = new S3Client({});
  const stored: DeliveredFile[] = [];
  for (const file of files) {
    const source = `${videoPrefix(videoUlid)}${file.path}`;
    const Body = await readFile(join(folder, file.path));
    await store.send(new PutObjectCommand({ Bucket: process.env.BUCKET_NAME, Key: source, Body }));
    stored.push({ ...file, source });
  }
  return stored;
}
