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

/** Samples in columns: an hour of video holds hundreds of thousands, and an object for each would take ten times the memory. */
export type SampleList = {
  length: number;
  positions: Float64Array;
  bytes: Uint32Array;
  decodeTicks: Float64Array;
  compositionOffsets: Int32Array;
  flags: Uint8Array;
};

export const keyFlag = 1;
export const hiddenFlag = 2;

/** 24 hours at 60 frames a second fit twice. More are a header's lie, or beyond what can be planned. */
export const maxSamples = 12_000_000;

export const createSampleList = (capacity: number): SampleList => ({
  length: 0,
  positions: new Float64Array(capacity),
  bytes: new Uint32Array(capacity),
  decodeTicks: new Float64Array(capacity),
  compositionOffsets: new Int32Array(capacity),
  flags: new Uint8Array(capacity),
});

/** Appends, and makes room where there is none. Throws RangeError beyond `maxSamples`. */
export function pushSample(list: SampleList, sample: Sample): void {
  if (list.length === list.flags.length) grow(list);
  const at = list.length++;
  list.positions[at] = sample.position;
  list.bytes[at] = sample.bytes;
  list.decodeTicks[at] = sample.decodeTicks;
  list.compositionOffsets[at] = sample.compositionOffset;
  list.flags[at] = (sample.isKey ? keyFlag : 0) | (sample.isHidden ? hiddenFlag : 0);
}

function grow(list: SampleList): void {
  if (list.length >= maxSamples) throw new RangeError('more samples than can be taken');
  const larger = createSampleList(Math.min(maxSamples, Math.max(1024, list.length * 2)));
  larger.positions.set(list.positions);
  larger.bytes.set(list.bytes);
  larger.decodeTicks.set(list.decodeTicks);
  larger.compositionOffsets.set(list.compositionOffsets);
  larger.flags.set(list.flags);
  Object.assign(list, { ...larger, length: list.length });
}
