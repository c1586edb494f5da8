import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runOrThrow } from '../../test/journey/support/ffmpeg.ts';
import { makeSourceClip } from '../../test/journey/support/source-clip.ts';
import type { TemplateName } from './injected/fault.ts';

/** The file that is uploaded with each template. */
export type Clips = Record<TemplateName, string>;

export async function makeClips(folder: string): Promise<Clips> {
  const names = ['clip.mp4', 'long.mp4', 'sound.m4a', 'padded.mp4'];
  const [clip, long, sound, padded] = names.map((name) => join(folder, name)) as Four;
  await makeSourceClip(clip, { durationSeconds: 8, width: 320, height: 180, bitrate: '500k' });
  await makeSourceClip(long, { durationSeconds: 24, width: 640, height: 360, bitrate: '1M' });
  await runOrThrow('ffmpeg', ['-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'aac', sound]);
  await writeFile(padded, Buffer.concat([await readFile(clip), padding()]));
  return { quick: clip, slow: clip, early: long, refused: sound, copied: padded };
}

type Four = [string, string, string, string];

/** A box that players skip: with it the file is copied to a storage in three parts. */
function padding(): Buffer {
  const box = randomBytes(20 * 2 ** 20);
  box.writeUInt32BE(box.length);
  box.write('free', 4);
  return box;
}
