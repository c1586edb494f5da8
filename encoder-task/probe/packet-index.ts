import { JobError } from '../../shared/protocol/job-errors.ts';
import { maxFrames, maxTicks } from '../../shared/protocol/probe-result.ts';
import type { Packet } from '../ffmpeg/ffprobe-args.ts';
import { createFieldFinder } from './field-pairs.ts';

/** Frames of the video track in presentation order, in ticks of the track. */
export type VideoFrames = {
  pts: Float64Array;
  isKey: Uint8Array;
  /** position in the file after all frames up to this one */
  endBytes: Float64Array;
  lastDurationTicks: number;
  /** whether packets that are decoded after the last frame are presented before it */
  lastIsReordered?: boolean;
};
/** `listed` counts all packets of the track, including those that are not presented. */
export type VideoPackets = { frames: VideoFrames; bytes: number; listed: number };
/** Start and end of an audio track, in its ticks. */
export type AudioSpan = { startPts: number; endPts: number };
export type PacketIndex = { video: VideoPackets; audio: Map<number, AudioSpan> };

type Columns = {
  length: number;
  pts: Float64Array;
  durations: Float64Array;
  endBytes: Float64Array;
  flags: Uint8Array;
};

const keyFlag = 1;
const presentedFlag = 2;

/**
 * Collects packets in file order. `finish` returns the frames in presentation order, from `firstDecodedPts` on when a
 * decoder can start before the first key frame. `frameTicks` is the shortest frame duration when fields may be separate
 * packets, otherwise null. Throws JobError INPUT_TOO_LARGE for more frames than can be planned.
 */
export function createPacketIndex(
  videoStream: number | undefined,
  frameTicks: number | null = null,
): {
  add: (packet: Packet) => void;
  /** whether there is no video packet yet */
  isEmpty: () => boolean;
  /** whether the first video packet is a key frame */
  startsAtKey: () => boolean;
  finish: (firstDecodedPts?: number) => PacketIndex;
} {
  let columns = createColumns(4096);
  const isSecondField = createFieldFinder(frameTicks);
  const audio = new Map<number, AudioSpan>();
  let [bytes, listed] = [0, 0];

  const addFrame = (packet: Packet): void => {
    bytes += packet.bytes;
    listed += 1;
    if (isSecondField(packet.pts)) {
      const first = columns.length - 1;
      columns.durations[first]! += durationOf(packet);
      columns.endBytes[first] = Math.max(columns.endBytes[first]!, packet.endByte);
      return;
    }
    if (columns.length === maxFrames) throw tooManyFrames();
    if (columns.length === columns.flags.length) columns = grown(columns);
    const at = columns.length++;
    columns.pts[at] = packet.pts;
    columns.durations[at] = durationOf(packet);
    columns.endBytes[at] = packet.endByte;
    columns.flags[at] = (packet.isKey ? keyFlag : 0) | (packet.isPresented ? presentedFlag : 0);
  };
  const addAudio = (packet: Packet): void => {
    const { streamIndex, pts } = packet;
    const span = audio.get(streamIndex);
    const endPts = pts + durationOf(packet);
    if (!span) audio.set(streamIndex, { startPts: pts, endPts });
    else {
      span.startPts = Math.min(span.startPts, pts);
      span.endPts = Math.max(span.endPts, endPts);
    }
  };
  return {
    add: (packet) => {
      // a packet with an impossible time is ignored
      if (Math.abs(packet.pts) > maxTicks) return;
      if (packet.streamIndex === videoStream) addFrame(packet);
      else if (packet.isPresented) addAudio(packet);
    },
    isEmpty: () => columns.length === 0,
    startsAtKey: () => columns.length === 0 || (columns.flags[0]! & keyFlag) !== 0,
    finish: (firstDecodedPts) => ({
      video: { frames: inPresentationOrder(columns, firstDecodedPts), bytes, listed },
      audio,
    }),
  };
}

const durationOf = ({ durationTicks }: Packet): number =>
  durationTicks > 0 && durationTicks <= maxTicks ? durationTicks : 0;

const tooManyFrames = (): JobError =>
  new JobError('INPUT_TOO_LARGE', `The video has more than ${maxFrames} frames. Upload a shorter video.`);

const createColumns = (capacity: number): Columns => ({
  length: 0,
  pts: new Float64Array(capacity),
  durations: new Float64Array(capacity),
  endBytes: new Float64Array(capacity),
  flags: new Uint8Array(capacity),
});

function grown(columns: Columns): Columns {
  const larger = createColumns(columns.length * 2);
  larger.length = columns.length;
  larger.pts.set(columns.pts);
  larger.durations.set(columns.durations);
  larger.endBytes.set(columns.endBytes);
  larger.flags.set(columns.flags);
  return larger;
}

/**
 * Drops packets that are not presented, and those that cannot be decoded without an earlier key frame: packets before
 * the first key frame, and frames after it that are presented before it (leading pictures of an open GOP). When a
 * decoder can start without a key frame, the frames start with the first one that it returns. Two packets with the same
 * time are one frame: the second field, or a repetition that players skip.
 */
function inPresentationOrder(
  { length, pts, durations, endBytes, flags }: Columns,
  firstDecodedPts?: number,
): VideoFrames {
  const has = (at: number, flag: number): boolean => (flags[at]! & flag) !== 0;
  let first = 0;
  if (firstDecodedPts === undefined) while (first < length && !has(first, keyFlag)) first += 1;
  const firstPts = firstDecodedPts ?? pts[first]!;
  const order = new Uint32Array(length - first);
  let count = 0;
  for (let at = first; at < length; at++) if (pts[at]! >= firstPts && has(at, presentedFlag)) order[count++] = at;
  const shown = order.subarray(0, count).sort((a, b) => pts[a]! - pts[b]! || a - b);
  const last = shown.at(-1);

  const frames = { pts: new Float64Array(count), isKey: new Uint8Array(count), endBytes: new Float64Array(count) };
  let [kept, reach] = [0, 0];
  for (const at of shown) {
    if (kept > 0 && pts[at] === frames.pts[kept - 1]) continue;
    reach = Math.max(reach, endBytes[at]!);
    frames.pts[kept] = pts[at]!;
    frames.isKey[kept] = has(at, keyFlag) ? 1 : 0;
    frames.endBytes[kept++] = reach;
  }
  return {
    pts: frames.pts.subarray(0, kept),
    isKey: frames.isKey.subarray(0, kept),
    endBytes: frames.endBytes.subarray(0, kept),
    lastDurationTicks: last === undefined ? 0 : durations[last]!,
    lastIsReordered: last !== undefined && last < length - 1,
  };
}
