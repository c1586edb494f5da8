import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedTrack } from '../../shared/protocol/encode-spec.ts';
import { type EncoderRun, initFile } from '../../shared/protocol/track-files.ts';
import { needBox } from './boxes.ts';
import { readCodecString } from './codec-string.ts';
import { readEditOffset, readSampleDefaults, readTimescale } from './init-segment.ts';
import { readMediaSegment, type Sample } from './media-segment.ts';

/** An encoded track on disk with all its samples. */
export type TrackOnDisk = EncodedTrack & { samplesBySegment: Sample[][] };

/** The files of one run of the encoder. Paths of segments are relative to the folder of the job. */
type TrackFiles = { name: string; run: EncoderRun; segmentFiles: string[] };

/**
 * Reads the init segment of a track and the given segments. The edit list is applied to `compositionTicks` of the
 * samples, so that they are presentation times. Throws RangeError for files that are cut off.
 */
export async function readTrackFiles(folder: string, { name, run, segmentFiles }: TrackFiles): Promise<TrackOnDisk> {
  const file = `${name}/${initFile(run)}`;
  const init = await readFile(join(folder, file));
  const moov = needBox(init, 'moov');
  const defaults = readSampleDefaults(moov);
  const editOffset = readEditOffset(moov);
  const segments: EncodedTrack['segments'] = [];
  const samplesBySegment: Sample[][] = [];
  for (const segmentFile of segmentFiles) {
    const bytes = await readFile(join(folder, segmentFile));
    const { decodeStartTicks, durationTicks, samples } = readMediaSegment(bytes, defaults);
    segments.push({ file: segmentFile, bytes: bytes.length, startTicks: decodeStartTicks, durationTicks });
    samplesBySegment.push(
      samples.map((sample) => ({ ...sample, compositionTicks: sample.compositionTicks - editOffset })),
    );
  }
  return {
    name,
    codecs: readCodecString(moov),
    timescale: readTimescale(moov),
    init: { file, bytes: init.length, sha256: createHash('sha256').update(init).digest('hex') },
    segments,
    samplesBySegment,
  };
}
