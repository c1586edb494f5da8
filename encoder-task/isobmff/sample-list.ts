/** A sample of a track as a demuxer would hand it out; ticks are the track's, `position` is its first byte in the file. */
export type Sample = {
  position: number;
  bytes: number;
  decodeTicks: number;
  /** what is added to the decode time to get the time it is shown */
  compositionOffset: number;
  isKey: boolean;
  /** decoded but never shown: outside the edit list, or there twice */
  isHidden: boolean;
};

/** How many samples may still be read of one movie, in all its lists together. */
export type SampleRoom = { left: number };

/** Samples in columns: an hour of video holds hundreds of thousands, and an object for each would take ten times the memory. */
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

/** Video and audio of 24 hours at 60 frames a second, before and after an edit list. More cannot be planned. */
const maxSamples = 24_000_000;

/**
 * Room for the samples of a movie. A sample takes at least a byte of the file, and an edit list may show it again; a small file that claims millions of
 * samples would otherwise fill the worker's memory.
 */
export const sampleRoom = (fileBytes: number): SampleRoom => ({ left: Math.min(maxSamples, 2 * fileBytes) });

/** An empty list with memory for `capacity` samples. Throws RangeError when the movie's room is smaller than that. */
export function createSampleList(capacity: number, room: SampleRoom): SampleList {
  if (capacity > room.left) throw new RangeError('more samples than the file can hold');
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

/** Appends, and allocates more memory when needed. Throws RangeError when the movie's room is used up. */
export function pushSample(list: SampleList, sample: Sample): void {
  if (list.room.left === 0) throw new RangeError('more samples than the file can hold');
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
