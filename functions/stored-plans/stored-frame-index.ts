import { gunzipSync } from 'node:zlib';
import { frameIndexKey } from '../../shared/object-keys.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { type FrameIndex, maxFrames, type ProbeResult } from '../../shared/protocol/probe-result.ts';
import { readObject } from '../aws/object-store.ts';
import { narrowToClip, type ProbedSource } from '../planning/narrow-to-clip.ts';
import type { Video } from '../table/records.ts';

/** Three lists of numbers of up to 16 digits, and two of up to 10, each followed by a comma. */
const maxIndexBytes = maxFrames * (3 * 17 + 2 * 11) + 1024;

/**
 * What is used of the source of a video: all of it, or the clip that its upload asks for. `frames` is null where they
 * are not needed, and for a source without video.
 * @throws JobError OUTPUT_MISMATCH for an invalid index, INPUT_CLIP_EMPTY for a clip without a frame
 */
export async function usedSource(
  video: Pick<Video, 'ulid' | 'sourceNumber' | 'sourceOptions'>,
  probe: ProbeResult,
  { needsFrames }: { needsFrames: boolean },
): Promise<ProbedSource> {
  const clip = video.sourceOptions?.clip;
  const frames = probe.video && (clip || needsFrames) ? await readFrames(video) : null;
  return clip ? narrowToClip({ probe, frames }, clip) : { probe, frames };
}

/** Reads the frame index that the probe job stored. */
async function readFrames({
  ulid,
  sourceNumber,
}: {
  ulid: string;
  sourceNumber?: number | undefined;
}): Promise<FrameIndex> {
  const compressed = await readObject(frameIndexKey(ulid, sourceNumber));
  try {
    return parsedIndex(JSON.parse(gunzipSync(compressed, { maxOutputLength: maxIndexBytes }).toString()));
  } catch (error) {
    throw new JobError('OUTPUT_MISMATCH', 'The frame index is not valid.', { cause: error });
  }
}

/** Checked without a schema, which would take seconds for millions of numbers. */
function parsedIndex(index: FrameIndex): FrameIndex {
  const copy = index.copy ? [index.copy.frameBytes, index.copy.starts] : [];
  for (const list of [index.ptsDeltas, index.keyFrames, index.endByteDeltas, ...copy]) {
    if (!Array.isArray(list) || list.length > maxFrames) throw new RangeError('not a list of frames');
    for (const number of list) if (!Number.isSafeInteger(number)) throw new RangeError('not an integer');
  }
  return index;
}
