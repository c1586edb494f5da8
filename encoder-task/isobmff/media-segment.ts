import { needBox, readBoxes } from './boxes.ts';
import { isNonSync, readTfdt, readTfhd, readTrun, type SampleDefaults } from './track-fragment.ts';

/**
 * The samples of a media segment with one track. Decode times start at tfdt; the edit list of the init segment is not
 * applied.
 */
export type SegmentTimes = {
  decodeStartTicks: number;
  durationTicks: number;
  /** in decode order */
  samples: Sample[];
};
/** `offset` is the position of the sample's first byte in the segment. */
export type Sample = {
  compositionTicks: number;
  durationTicks: number;
  bytes: number;
  offset: number;
  isSync: boolean;
};

/**
 * Reads the moof boxes of a segment (ISO/IEC 14496-12, 8.8). `trex` are the defaults of the init segment. Throws
 * RangeError when the segment is incomplete or its fragments do not follow one another.
 */
export function readMediaSegment(bytes: Buffer, trex: SampleDefaults): SegmentTimes {
  const samples: Sample[] = [];
  let decodeStartTicks: number | undefined;
  let decodeTicks = 0;
  for (const { type, payload } of readBoxes(bytes)) {
    if (type !== 'moof') continue;
    // data offsets count from the header of the moof box
    const moofOffset = payload.byteOffset - bytes.byteOffset - 8;
    const traf = needBox(payload, 'traf');
    const { defaults } = readTfhd(needBox(traf, 'tfhd'), trex);
    const tfdtTicks = readTfdt(needBox(traf, 'tfdt'));
    if (decodeStartTicks === undefined) decodeStartTicks = decodeTicks = tfdtTicks;
    if (tfdtTicks !== decodeTicks) throw new RangeError(`a fragment starts at ${tfdtTicks} instead of ${decodeTicks}`);
    let offset = moofOffset;
    for (const box of readBoxes(traf)) {
      if (box.type !== 'trun') continue;
      const run = readTrun(box.payload, defaults);
      if (run.dataOffset !== undefined) offset = moofOffset + run.dataOffset;
      for (const { durationTicks, bytes: size, flags, compositionOffset } of run.samples) {
        const compositionTicks = decodeTicks + compositionOffset;
        samples.push({ compositionTicks, durationTicks, bytes: size, offset, isSync: !isNonSync(flags) });
        offset += size;
        decodeTicks += durationTicks;
      }
    }
  }
  if (decodeStartTicks === undefined || samples.length === 0) throw new RangeError('no samples');
  return { decodeStartTicks, durationTicks: decodeTicks - decodeStartTicks, samples };
}
