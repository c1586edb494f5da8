import { createHash } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { Account } from '../../../test/journey/support/account.ts';
import type { Client } from '../../../test/journey/support/client.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { patiently } from '../service/patiently.ts';

/**
 * A hash of each file of a video, by a name without attempts and ids; they are also removed from manifests before
 * hashing.
 */
export type Fingerprint = ReadonlyMap<string, string>;

/** @param keys of the objects of the video */
export async function fingerprint(
  { store, bucket }: Account,
  videoUlid: string,
  keys: readonly string[],
): Promise<Fingerprint> {
  const prints = new Map<string, string>();
  for (const key of keys) {
    const { Body } = await patiently(() => store.send(new GetObjectCommand({ Bucket: bucket, Key: key })));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    const content = /\.(m3u8|mpd|vtt)$/.test(key) ? anonymous(bytes.toString()) : bytes;
    prints.set(anonymous(key.slice(`videos/${videoUlid}/`.length)), createHash('sha256').update(content).digest('hex'));
  }
  return prints;
}

const anonymous = (text: string): string =>
  text.replace(/-a\d+\//g, '-a*/').replace(/[0-9A-HJKMNP-TV-Z]{26}/g, '<ulid>');

export type Decoded = Record<string, string>;

/** A hash of every decoded audio and video frame with its timestamp, by playback format. */
export async function decodedFrames(client: Client, videoUlid: string): Promise<Decoded> {
  const decoded: Decoded = {};
  for (const [format, url] of Object.entries(await client.sources(videoUlid))) {
    const { stdout } = await runOrThrow('ffmpeg', ['-i', url, '-map', '0', '-f', 'framemd5', '-']);
    decoded[format] = createHash('sha256').update(stdout).digest('hex');
  }
  return decoded;
}
