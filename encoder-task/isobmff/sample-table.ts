import { need, readSafe64, tableOf } from './full-box.ts';
import { createSampleList, pushSample, type SampleList, type SampleRoom } from './sample-list.ts';

/** The samples of a track before its edit list. */
export type SampleTable = {
  samples: SampleList;
  /**
   * subtracted from all decode times when composition offsets are negative, so that no sample is presented before it is
   * decoded
   */
  shiftTicks: number;
  durationTicks: number;
  hasOffsets: boolean;
};

/** Longer durations are negative corrections, which readers interpret differently (FFmpeg's max_stts_delta). */
const maxDuration = 2 ** 32 - 1 - 48_000 * 10;

/**
 * The samples of a stbl box (ISO/IEC 14496-12, 8.5 to 8.7) in decode order, with the times of FFmpeg's demuxer before
 * edit lists. Throws RangeError for tables that contradict each other, and for those that the demuxer interprets
 * differently.
 */
export function readSampleTable(stbl: Map<string, Buffer>, isAudio: boolean, room: SampleRoom): SampleTable {
  if (stbl.has('stz2')) throw new RangeError('compact sample sizes');
  if (isAudio && isPcm(need(stbl, 'stts'))) return readPcm(stbl, room);
  const sizes = readSizes(need(stbl, 'stsz'));
  const { count } = sizes;
  const samples = createSampleList(count, room);
  const duration = durations(need(stbl, 'stts'));
  const offsets = stbl.has('ctts') ? compositionOffsets(need(stbl, 'ctts'), count) : undefined;
  const isKey = keyFrames(stbl);
  const shiftTicks = offsets?.shiftTicks ?? 0;
  let decodeTicks = -shiftTicks;
  walkChunks(stbl, count, (position, index) => {
    const bytes = sizes.of(index);
    pushSample(samples, {
      position,
      bytes,
      decodeTicks,
      compositionOffset: offsets?.next() ?? 0,
      isKey: isKey(index + 1),
      isHidden: false,
    });
    decodeTicks += duration.next();
    return bytes;
  });
  if (samples.length !== count) throw new RangeError('different numbers of samples in sizes and chunks');
  return { samples, shiftTicks, durationTicks: duration.totalTicks, hasOffsets: offsets !== undefined };
}

/** One tick per sample is PCM, whose packets the demuxer makes as large as it likes. */
const isPcm = (stts: Buffer): boolean => {
  const { count, entries } = tableOf(stts, 8);
  return count === 1 && entries.readUInt32BE(4) === 1;
};

const samplesPerPacket = 1024;

function readPcm(stbl: Map<string, Buffer>, room: SampleRoom): SampleTable {
  const stsd = need(stbl, 'stsd');
  // version 1 with several samples per packet is compressed audio
  if (stsd.readUInt16BE(8 + 16) > 0 && stsd.readUInt32BE(8 + 36) > 1)
    throw new RangeError('compressed audio with one tick per sample');
  const sampleBytes = need(stbl, 'stsz').readUInt32BE(4);
  const total = need(stbl, 'stts').readUInt32BE(8);
  const samples = createSampleList(Math.ceil(total / samplesPerPacket), room);
  let decodeTicks = 0;
  for (const { position, count } of eachChunk(stbl)) {
    for (let taken = 0; taken < count; taken += samplesPerPacket) {
      const ticks = Math.min(samplesPerPacket, count - taken);
      pushSample(samples, {
        position: position + taken * sampleBytes,
        bytes: ticks * sampleBytes,
        decodeTicks,
        compositionOffset: 0,
        isKey: true,
        isHidden: false,
      });
      decodeTicks += ticks;
    }
  }
  return { samples, shiftTicks: 0, durationTicks: total, hasOffsets: false };
}

function readSizes(stsz: Buffer): { count: number; of: (index: number) => number } {
  const each = stsz.readUInt32BE(4);
  const count = stsz.readUInt32BE(8);
  if (each > 0) return { count, of: () => each };
  const { entries } = tableOf(stsz, 4, 12);
  return { count, of: (index) => entries.readUInt32BE(index * 4) };
}

function durations(stts: Buffer): { next: () => number; totalTicks: number } {
  const { count, entries } = tableOf(stts, 8);
  if (count === 0) throw new RangeError('no durations');
  let totalTicks = 0;
  for (let entry = 0; entry < count; entry++) {
    const ticks = entries.readUInt32BE(entry * 8 + 4);
    if (ticks > maxDuration) throw new RangeError('a sample duration out of range');
    totalTicks += entries.readUInt32BE(entry * 8) * ticks;
  }
  let [entry, used] = [0, 0];
  return {
    totalTicks,
    // the last duration applies to all further samples
    next: () => {
      const ticks = entries.readUInt32BE(entry * 8 + 4);
      used += 1;
      if (entry + 1 < count && used === entries.readUInt32BE(entry * 8)) [entry, used] = [entry + 1, 0];
      return ticks;
    },
  };
}

function compositionOffsets(ctts: Buffer, samples: number): { next: () => number; shiftTicks: number } | undefined {
  const { count, entries } = tableOf(ctts, 8);
  if (count === 0) return undefined;
  let [covered, shiftTicks] = [0, 0];
  for (let entry = 0; entry < count; entry++) {
    const offset = entries.readInt32BE(entry * 8 + 4);
    const run = entries.readInt32BE(entry * 8);
    if (run <= 0 || Math.abs(offset) > 2 ** 28) throw new RangeError('a composition offset out of range');
    covered += run;
    // FFmpeg ignores the last two entries, because some files have invalid values there
    if (entry + 2 < count) shiftTicks = Math.max(shiftTicks, -offset);
  }
  if (covered < samples) throw new RangeError('composition offsets for some samples only');
  let [entry, used] = [0, 0];
  return {
    shiftTicks,
    next: () => {
      const offset = entries.readInt32BE(entry * 8 + 4);
      if (++used === entries.readInt32BE(entry * 8)) [entry, used] = [entry + 1, 0];
      return offset;
    },
  };
}

/**
 * Whether a sample is a key sample, by its number (from 1, in ascending order). Without an stss box all samples are.
 */
function keyFrames(stbl: Map<string, Buffer>): (number: number) => boolean {
  const stss = stbl.get('stss');
  if (!stss) return () => true;
  const tables = [stss, ...(stbl.has('stps') ? [need(stbl, 'stps')] : [])].map((box) => {
    const { count, entries } = tableOf(box, 4);
    let at = 0;
    return (number: number): boolean => {
      while (at < count && entries.readUInt32BE(at * 4) < number) at += 1;
      return at < count && entries.readUInt32BE(at * 4) === number;
    };
  });
  if (tableOf(stss, 4).count === 0) throw new RangeError('an empty list of key samples');
  if (tableOf(stss, 4).entries.readUInt32BE(0) === 0) throw new RangeError('key samples numbered from 0');
  return (number) => tables.map((has) => has(number)).includes(true);
}

/** Calls `take` with the position and index of every sample. `take` returns the size of the sample. */
function walkChunks(
  stbl: Map<string, Buffer>,
  samples: number,
  take: (position: number, index: number) => number,
): void {
  let index = 0;
  for (const { position: start, count } of eachChunk(stbl)) {
    let position = start;
    for (let n = 0; n < count; n++) {
      if (index === samples) throw new RangeError('more samples in chunks than sizes');
      position += take(position, index++);
    }
  }
}

/** Position of each chunk and its number of samples. */
function* eachChunk(stbl: Map<string, Buffer>): Generator<{ position: number; count: number }> {
  const isLong = stbl.has('co64');
  const chunks = isLong ? tableOf(need(stbl, 'co64'), 8) : tableOf(need(stbl, 'stco'), 4);
  const runs = tableOf(need(stbl, 'stsc'), 12);
  const descriptions = need(stbl, 'stsd').readUInt32BE(4);
  let run = -1;
  let count = 0;
  for (let chunk = 0; chunk < chunks.count; chunk++) {
    while (run + 1 < runs.count && runs.entries.readUInt32BE((run + 1) * 12) === chunk + 1) {
      run += 1;
      count = runs.entries.readUInt32BE(run * 12 + 4);
      const description = runs.entries.readUInt32BE(run * 12 + 8);
      // FFmpeg drops samples that refer to a second description which does not exist
      if (count === 0 || (descriptions === 1 && description !== 1)) throw new RangeError('an invalid run of chunks');
    }
    if (run === -1) throw new RangeError('chunks without a run');
    const position = isLong ? readSafe64(chunks.entries, chunk * 8) : chunks.entries.readUInt32BE(chunk * 4);
    yield { position, count };
  }
  if (run + 1 < runs.count) throw new RangeError('runs of missing chunks');
}
