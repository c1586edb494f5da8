import { readSafe64 } from './full-box.ts';

/** Values of samples that do not have their own (ISO/IEC 14496-12, 8.8.3 and 8.8.7). */
export type SampleDefaults = { descriptionIndex: number; durationTicks: number; bytes: number; flags: number };

/** A sample of a run; the presentation time is the decode time plus `compositionOffset`. */
export type RunSample = { durationTicks: number; bytes: number; flags: number; compositionOffset: number };

const nonSyncSample = 0x0001_0000;
const dependsOnOthers = 0x0100_0000;

/** sample_is_non_sync_sample */
export const isNonSync = (flags: number): boolean => (flags & nonSyncSample) !== 0;
/** sample_depends_on = 1 */
export const isDependent = (flags: number): boolean => (flags & dependsOnOthers) !== 0;

export const readTrex = (trex: Buffer): SampleDefaults => ({
  descriptionIndex: trex.readUInt32BE(8),
  durationTicks: trex.readUInt32BE(12),
  bytes: trex.readUInt32BE(16),
  flags: trex.readUInt32BE(20),
});

/** The decode time of a fragment's first sample. */
export const readTfdt = (tfdt: Buffer): number => (tfdt[0] === 1 ? readSafe64(tfdt, 4) : tfdt.readUInt32BE(4));

/** The header of a track fragment. `trex` are the defaults of the track. */
export function readTfhd(
  tfhd: Buffer,
  trex: SampleDefaults,
): { defaults: SampleDefaults; baseDataOffset: number | undefined; isBaseMoof: boolean } {
  const flags = tfhd.readUInt32BE(0) & 0xffffff;
  let at = 8;
  const hasBaseDataOffset = (flags & 0x01) !== 0;
  const baseDataOffset = hasBaseDataOffset ? readSafe64(tfhd, at) : undefined;
  if (hasBaseDataOffset) at += 8;
  const field = (bit: number, fallback: number): number => {
    if (!(flags & bit)) return fallback;
    at += 4;
    return tfhd.readUInt32BE(at - 4);
  };
  const defaults = {
    descriptionIndex: field(0x02, trex.descriptionIndex),
    durationTicks: field(0x08, trex.durationTicks),
    bytes: field(0x10, trex.bytes),
    flags: field(0x20, trex.flags),
  };
  return { defaults, baseDataOffset, isBaseMoof: (flags & 0x02_0000) !== 0 };
}

/** A track run. Throws RangeError when it declares more samples than its box has room for. */
export function readTrun(
  trun: Buffer,
  defaults: SampleDefaults,
): { dataOffset: number | undefined; samples: Generator<RunSample> } {
  const flags = trun.readUInt32BE(0) & 0xffffff;
  const count = trun.readUInt32BE(4);
  const sampleBytes = [0x100, 0x200, 0x400, 0x800].filter((bit) => flags & bit).length * 4;
  const headerBytes = 8 + (flags & 0x01 ? 4 : 0) + (flags & 0x04 ? 4 : 0);
  if (headerBytes + count * sampleBytes > trun.length) throw new RangeError('a run with more samples than data');
  const firstFlags = flags & 0x04 ? trun.readUInt32BE(headerBytes - 4) : defaults.flags;
  return {
    dataOffset: flags & 0x01 ? trun.readInt32BE(8) : undefined,
    samples: runSamples(trun.subarray(headerBytes), { flags, count, defaults, firstFlags }),
  };
}

type Run = { flags: number; count: number; defaults: SampleDefaults; firstFlags: number };

/** A generator, because a run without fields of its own can declare billions of samples. */
function* runSamples(fields: Buffer, { flags, count, defaults, firstFlags }: Run): Generator<RunSample> {
  let at = 0;
  const field = (bit: number, fallback: number): number => {
    if (!(flags & bit)) return fallback;
    at += 4;
    return fields.readUInt32BE(at - 4);
  };
  for (let n = 0; n < count; n++) {
    yield {
      durationTicks: field(0x100, defaults.durationTicks),
      bytes: field(0x200, defaults.bytes),
      flags: field(0x400, n === 0 ? firstFlags : defaults.flags),
      // signed in version 0 too, as FFmpeg reads it: real offsets are far below 2^31
      compositionOffset: field(0x800, 0) | 0,
    };
  }
}
