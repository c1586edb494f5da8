/**
 * A sample of a track as a demuxer returns it. Times are in ticks of the track; `position` is the sample's first byte
 * in the file.
 */
export type Sample = {
  position: number;
  bytes: number;
  decodeTicks: number;
  /** presentation time minus decode time */
  compositionOffset: number;
  isKey: boolean;
  /** decoded but not presented: outside the edit list, or a repetition */
  isHidden: boolean;
};

/** How many more samples all lists of one movie may hold. */
export type SampleRoom = { left: number };

/**
 * Samples in columns: an hour of video has hundreds of thousands, and an object for each would need ten times the
 * memory.
 */
export type SampleList = {
  room: SampleRoom;
  length: number;
  positions: Float64Array;
  bytes: Uint32Array;
  decodeTicks: Float64Array;
  compositionOffsets: Int32Array;
  flags: Uint8Array;
};

export const keyFlag = 1;
export const hiddenFlag = 2;

export const isKeySample = ({ flags }: SampleList, n: number): boolean => (flags[n]! & keyFlag) !== 0;

/**
 * Video and audio of 24 hours at 60 frames per second, before and after an edit list. A longer video cannot be planned.
 */
const maxSamples = 24_000_000;

/**
 * The limit for a file. A sample has at least one byte, and an edit list may present it again. Without the limit, a
 * small file that declares millions of samples would fill the worker's memory.
 */
export const sampleRoom = (fileBytes: number): SampleRoom => ({ left: Math.min(maxSamples, 2 * fileBytes) });

/** An empty list with memory for `capacity` samples. Throws RangeError when the limit of the movie is lower. */
export function createSampleList(capacity: number, room: SampleRoom): SampleList {
  if (capacity > room.left) throw new RangeError('more samples than the file has room for');
  return {
    room,
    length: 0,
    positions: new Float64Array(capacity),
    bytes: new Uint32Array(capacity),
    decodeTicks: new Float64Array(capacity),
    compositionOffsets: new Int32Array(capacity),
    flags: new Uint8Array(capacity),
  };
}

/** Appends a sample. Throws RangeError when the limit of the movie is reached. */
export function pushSample(list: SampleList, sample: Sample): void {
  if (list.room.left === 0) throw new RangeError('more samples than the file has room for');
  list.room.left -= 1;
  if (list.length === list.flags.length) grow(list);
  const at = list.length++;
  list.positions[at] = sample.position;
  list.bytes[at] = sample.bytes;
  list.decodeTicks[at] = sample.decodeTicks;
  list.compositionOffsets[at] = sample.compositionOffset;
  list.flags[at] = (sample.isKey ? keyFlag : 0) | (sample.isHidden ? hiddenFlag : 0);
}

function grow(list: SampleList): void {
  const larger = createSampleList(Math.max(1024, list.length * 2), { left: Number.POSITIVE_INFINITY });
  larger.positions.set(list.positions);
  larger.bytes.set(list.bytes);
  larger.decodeTicks.set(list.decodeTicks);
  larger.compositionOffsets.set(list.compositionOffsets);
  larger.flags.set(list.flags);
  Object.assign(list, { ...larger, room: list.room, length: list.length });
}
