import { needBox, readBoxes } from './boxes.ts';

/**
 * What a media segment's boxes say of its one track, in ticks. Decode times start at tfdt; composition times are before the edit list
 * of the init segment, which takes the encoder's delay off them.
 */
export type SegmentTimes = {
  decodeStartTicks: number;
  durationTicks: number;
  /** in decode order */
  samples: Sample[];
};
/** `offset` is where the sample's bytes start in the segment. */
export type Sample = {
  compositionTicks: number;
  durationTicks: number;
  bytes: number;
  offset: number;
  isSync: boolean;
};

/** What a track's fragments may leave out, from the trex box of its init segment. */
export type SampleDefaults = { durationTicks: number; bytes: number; flags: number };

/**
 * Reads the moof boxes of a segment (ISO/IEC 14496-12, 8.8). `trex` holds the defaults of the init segment.
 * Throws RangeError when the bytes are not a whole segment.
 */
export function readMediaSegment(bytes: Buffer, trex: SampleDefaults): SegmentTimes {
  const samples: Sample[] = [];
  let decodeStartTicks: number | undefined;
  let decodeTicks = 0;
  for (const { type, payload } of readBoxes(bytes)) {
    if (type !== 'moof') continue;
    // what a fragment says of places in the file counts from the header of its moof box
    const moofOffset = payload.byteOffset - bytes.byteOffset - 8;
    const traf = needBox(payload, 'traf');
    const defaults = readTfhd(needBox(traf, 'tfhd'), trex);
    const tfdtTicks = readTfdt(needBox(traf, 'tfdt'));
    if (decodeStartTicks === undefined) decodeStartTicks = decodeTicks = tfdtTicks;
    if (tfdtTicks !== decodeTicks) throw new RangeError(`fragment starts at ${tfdtTicks}, not at ${decodeTicks}`);
    let offset = moofOffset;
    for (const box of readBoxes(traf)) {
      if (box.type !== 'trun') continue;
      const run = readTrun(box.payload, defaults);
      if (run.dataOffset !== undefined) offset = moofOffset + run.dataOffset;
      for (const sample of run.samples) {
        samples.push({ ...sample, offset, compositionTicks: decodeTicks + sample.compositionTicks });
        offset += sample.bytes;
        decodeTicks += sample.durationTicks;
      }
    }
  }
  if (decodeStartTicks === undefined || samples.length === 0) throw new RangeError('no samples');
  return { decodeStartTicks, durationTicks: decodeTicks - decodeStartTicks, samples };
}

function readTfdt(tfdt: Buffer): number {
  return tfdt[0] === 1 ? Number(tfdt.readBigUInt64BE(4)) : tfdt.readUInt32BE(4);
}

function readTfhd(tfhd: Buffer, trex: SampleDefaults): SampleDefaults {
  const flags = tfhd.readUInt32BE(0) & 0xffffff;
  let at = 8;
  const field = (bit: number, bytes: number, fallback: number): number => {
    if (!(flags & bit)) return fallback;
    at += bytes;
    return tfhd.readUInt32BE(at - 4);
  };
  field(0x01, 8, 0); // base_data_offset
  field(0x02, 4, 0); // sample_description_index
  const durationTicks = field(0x08, 4, trex.durationTicks);
  const bytes = field(0x10, 4, trex.bytes);
  return { durationTicks, bytes, flags: field(0x20, 4, trex.flags) };
}

/** Samples of one run; their presentation ticks are offsets from their decode time. */
function readTrun(
  trun: Buffer,
  defaults: SampleDefaults,
): { dataOffset: number | undefined; samples: Omit<Sample, 'offset'>[] } {
  const version = trun[0];
  const flags = trun.readUInt32BE(0) & 0xffffff;
  const count = trun.readUInt32BE(4);
  let at = 8;
  const field = (bit: number, fallback: number, signed = false): number => {
    if (!(flags & bit)) return fallback;
    at += 4;
    return signed ? trun.readInt32BE(at - 4) : trun.readUInt32BE(at - 4);
  };
  const dataOffset = flags & 0x01 ? field(0x01, 0, true) : undefined;
  const firstFlags = field(0x04, defaults.flags);
  const samples = Array.from({ length: count }, (_, index) => {
    const durationTicks = field(0x100, defaults.durationTicks);
    const bytes = field(0x200, defaults.bytes);
    const sampleFlags = field(0x400, index === 0 ? firstFlags : defaults.flags);
    const compositionTicks = field(0x800, 0, version !== 0);
    // sample_is_non_sync_sample
    return { durationTicks, bytes, compositionTicks, isSync: (sampleFlags & 0x10000) === 0 };
  });
  return { dataOffset, samples };
}
