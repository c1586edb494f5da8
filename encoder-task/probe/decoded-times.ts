import type { ProbeStream } from '../../shared/protocol/probe-document.ts';
import type { Packet } from '../ffmpeg/ffprobe-args.ts';
import type { VideoFrames } from './packet-index.ts';

type Timed = {
  add: (packet: Packet) => void;
  /** adds the packets that still wait for their time */
  end: () => void;
};

/** Passes on packets with the times at which a decoder returns their frames, where the container does not have them. */
export function timePackets(formatName: string, video: ProbeStream | undefined, add: (packet: Packet) => void): Timed {
  const isVideo = ({ streamIndex }: Packet): boolean => streamIndex === video?.index;
  if (formatName === 'mpeg' && /^mpeg[12]video$/.test(video?.codec_name ?? '')) return timeByDecoding(isVideo, add);
  const delay = video?.has_b_frames ?? 0;
  const lacksTimes = formatName === 'avi' || (formatName === 'mpegts' && /^mpeg[124]/.test(video?.codec_name ?? ''));
  return lacksTimes && delay > 0 ? timeByDelay(isVideo, delay, add) : { add, end: () => undefined };
}

/** Packets that are decoded between a frame and the one that is presented next, at most. */
const longestReorder = 16;

/** A frame is not so much later than usual because of a wrong time; some are missing before it. */
const mostFramesLate = 3;

/**
 * MPEG-PS has presentation times for some frames only. Uses the decode times plus a constant delay: frames are
 * reordered, but both are evenly spaced. FFmpeg derives the decode times that the file does not have. Where a frame
 * begins in a packet with another one, they may be off by some frames until the file has another time: such frames
 * follow one after another.
 */
function timeByDecoding(isVideo: (packet: Packet) => boolean, add: (packet: Packet) => void): Timed {
  let delayTicks: number | undefined;
  let expected: { dts: number; unexpected: number } | undefined;
  return {
    add: (packet) => {
      if (!isVideo(packet)) return add(packet);
      if (packet.isKey) delayTicks ??= packet.pts - packet.dts;
      const offFrames = expected ? (packet.dts - expected.dts) / packet.durationTicks : 0;
      const isOff = offFrames < -0.5 ? offFrames > -longestReorder : offFrames > 0.5 && offFrames <= mostFramesLate;
      const unexpected = isOff ? expected!.unexpected + 1 : 0;
      const isCorrected = isOff && unexpected <= longestReorder;
      const dts = isCorrected ? expected!.dts : packet.dts;
      expected = { dts: dts + packet.durationTicks, unexpected: isCorrected ? unexpected : 0 };
      add({ ...packet, pts: dts + (delayTicks ?? 0) });
    },
    end: () => undefined,
  };
}

/**
 * AVI has decode times only, and MPEG-TS may lack some presentation times. A decoder that reorders frames returns one
 * when it gets a later reference frame, at the decode time of that, and the last ones a frame apart after all packets.
 * B-frames that FFmpeg's parser recognises are returned at once: both of their times are the same.
 */
function timeByDelay(isVideo: (packet: Packet) => boolean, delay: number, add: (packet: Packet) => void): Timed {
  const waiting: Packet[] = [];
  let last: Packet | undefined;
  return {
    add: (packet) => {
      if (!isVideo(packet)) return add(packet);
      last = packet;
      const isReference = packet.isTimedByDecoding || packet.pts > packet.dts;
      if (isReference && waiting.length >= delay) {
        add({ ...waiting.shift()!, pts: packet.dts, endByte: packet.endByte });
      }
      if (packet.isTimedByDecoding) waiting.push(packet);
      else add(packet);
    },
    end: () => {
      for (const [n, packet] of waiting.entries()) {
        const { dts, durationTicks, endByte } = last!;
        add({ ...packet, pts: dts + (n + 1) * (durationTicks || 1), endByte });
      }
    },
  };
}

/** Numbers of video packets without any time: before the first with one, between two, and after the last. */
export type UntimedPackets = { leading: number; inner: number; trailing: number };

/**
 * The frames with those of packets without a time, such as the second of two frames in one packet of MPEG-TS. A decoder
 * returns them a frame after the previous one, so they are in the gaps between the others. `firstPts` is the time of
 * the first frame that a decoder returns, where that is known.
 */
export function addUntimedFrames(
  frames: VideoFrames,
  { leading, inner, trailing }: UntimedPackets,
  { frameTicks, firstPts }: { frameTicks: number; firstPts: number | undefined },
): VideoFrames {
  const count = frames.pts.length;
  if (leading + inner + trailing === 0 || !(frameTicks > 0) || count === 0) return frames;
  const isFirstMissing = leading > 0 && firstPts !== undefined && firstPts < frames.pts[0]! - frameTicks / 2;
  let left = inner + trailing + (isFirstMissing ? leading - 1 : 0);
  const pts = isFirstMissing ? [firstPts] : [];
  const isKey = isFirstMissing ? [1] : [];
  const endBytes = isFirstMissing ? [frames.endBytes[0]!] : [];
  const add = (time: number, key: number, n: number): void => {
    pts.push(time);
    isKey.push(key);
    endBytes.push(frames.endBytes[Math.min(n + longestReorder, count - 1)]!);
  };
  for (let n = 0; n < count; n++) {
    const next = frames.pts[n]!;
    for (; left > 0 && pts.length > 0 && next - pts.at(-1)! > 1.5 * frameTicks; left--) {
      add(pts.at(-1)! + frameTicks, 0, n);
    }
    add(next, frames.isKey[n]!, n);
  }
  for (let n = Math.min(left, trailing); n > 0; n--) add(pts.at(-1)! + frameTicks, 0, count - 1);
  return {
    pts: Float64Array.from(pts),
    isKey: Uint8Array.from(isKey),
    endBytes: Float64Array.from(endBytes),
    lastDurationTicks: frames.lastDurationTicks,
    ...(frames.lastIsReordered && { lastIsReordered: true }),
  };
}
