import { join } from 'node:path';
import { runOrThrow } from '../../test/journey/support/ffmpeg.ts';
import { makeSourceClip } from '../../test/journey/support/source-clip.ts';
import type { TemplateName } from './injected/fault.ts';

/** The file that is uploaded with each template. */
export type Clips = Record<TemplateName, string>;

export async function makeClips(folder: string): Promise<Clips> {
  const [clip, long, sound] = ['clip.mp4', 'long.mp4', 'sound.m4a'].map((name) => join(folder, name)) as Three;
  await makeSourceClip(clip, { durationSeconds: 8, width: 320, height: 180, bitrate: '500k' });
  await makeSourceClip(long, { durationSeconds: 24, width: 640, height: 360, bitrate: '1M' });
  await runOrThrow('ffmpeg', ['-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'aac', sound]);
  return { quick: clip, slow: clip, early: long, refused: sound };
}

type Three = [string, string, string];
