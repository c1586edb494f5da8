import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedTrack } from '../../shared/protocol/encode-spec.ts';
import { needBox } from './boxes.ts';
import { readCodecString } from './codec-string.ts';
import { readEditOffset, readSampleDefaults, readTimescale } from './init-segment.ts';
import { readMediaSegment, type Sample } from './media-segment.ts';

/** An encoded track on disk with all its samples. */
export type TrackOnDisk = EncodedTrack & { samplesBySegment: Sample[][] };

/**
 * Reads `<folder>/<name>/init.mp4` and the given segments. The edit list is applied to `compositionTicks` of the
 * samples, so that they are presentation times. Throws RangeError for files that are cut off.
 */
export async function readTrackFiles(folder: string, name: string, segmentFiles: string[]): Promise<TrackOnDisk> {
  const initFile = `${name}/init.mp4`;
  const init = await readFile(join(folder, initFile));
  const moov = needBox(init, 'moov');
  const defaults = readSampleDefaults(moov);
  const editOffset = readEditOffset(moov);
  const segments: EncodedTrack['segments'] = [];
  const samplesBySegment: Sample[][] = [];
  for (const file of segmentFiles) {
    const bytes = await readFile(join(folder, file));
    const { decodeStartTicks, durationTicks, samples } = readMediaSegment(bytes, defaults);
    segments.push({ file, bytes: bytes.length, startTicks: decodeStartTicks, durationTicks });
    samplesBySegment.push(
      samples.map((sample) => ({ ...sample, compositionTicks: sample.compositionTicks - editOffset })),
    );
  }
  return {
    name,
    codecs: readCodecString(moov),
    timescale: readTimescale(moov),
    init: { file: initFile, bytes: init.length, sha256: createHash('sha256').update(init).digest('hex') },
    segments,
    samplesBySegment,
  };
}
