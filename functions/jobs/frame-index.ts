import { gunzipSync } from 'node:zlib';
import { frameIndexKey } from '../../shared/object-keys.ts';
import type { FrameIndex } from '../../shared/probe.ts';
import { readObject } from '../store.ts';

/** The frames of a video's source as the probe stored them. */
export async function readFrames(videoUlid: string): Promise<FrameIndex> {
  const bytes = gunzipSync(await readObject(frameIndexKey(videoUlid)));
  return JSON.parse(bytes.toString()) as FrameIndex;
}
