import { gunzipSync } from 'node:zlib';
import { frameIndexKey } from '../../shared/object-keys.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { type FrameIndex, maxFrames } from '../../shared/protocol/probe-result.ts';
import { readObject } from '../aws/object-store.ts';

/** Three lists of numbers of up to 16 digits, a comma behind each. */
const maxIndexBytes = maxFrames * 3 * 17 + 1024;

/** The frames of a video's source as the probe stored them. Throws JobError OUTPUT_MISMATCH for what is no index. */
export async function readFrames(videoUlid: string): Promise<FrameIndex> {
  const compressed = await readObject(frameIndexKey(videoUlid));
  try {
    return parsedIndex(JSON.parse(gunzipSync(compressed, { maxOutputLength: maxIndexBytes }).toString()));
  } catch (error) {
    throw new JobError('OUTPUT_MISMATCH', 'The index of frames is not one.', { cause: error });
  }
}

/** Checked by hand: a schema takes seconds for millions of numbers. */
function parsedIndex(index: FrameIndex): FrameIndex {
  for (const list of [index.ptsDeltas, index.keyFrames, index.endByteDeltas]) {
    if (!Array.isArray(list) || list.length > maxFrames) throw new RangeError('no list of frames');
    for (const number of list) if (!Number.isSafeInteger(number)) throw new RangeError('no number of a frame');
  }
  return index;
}
