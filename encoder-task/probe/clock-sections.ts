import { parseRational } from '../../shared/media/rational.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { ProbeDocument } from '../../shared/protocol/probe-document.ts';
import { type ClockSection, maxClockSections } from '../../shared/protocol/probe-result.ts';
import type { Packet } from '../ffmpeg/ffprobe-args.ts';

/**
 * Ticks a second of a container whose clock may start again on the way: of ISO/IEC 13818-1, where recordings were joined or a broadcast jumps; and of a chain
 * of Ogg streams (RFC 3533, 4), of which FFmpeg reads a single track of sound only. Undefined for others.
 */
export function jumpingClockHz({ format, streams }: ProbeDocument): number | undefined {
  if (format.format_name === 'mpegts' || format.format_name === 'mpeg') return 90_000;
  const [only, ...more] = streams;
  const isOneTrack = only?.codec_type === 'audio' && more.length === 0;
  const timeBase = parseRational(only?.time_base);
  return format.format_name === 'ogg' && isOneTrack && timeBase ? timeBase.den / timeBase.num : undefined;
}

/** FFmpeg's dts_delta_threshold: a shorter hole is one in the recording. */
const longestHoleSeconds = 10;
/** Streams are not cut at the same time, and a new recording may overlap the one before by as much. */
const longestOverlapSeconds = 0.1;

type StreamClock = { lastDts: number; nextDts: number; position: number };

/**
 * Finds where the clock of a file starts again or jumps, from its packets in the order of the file, and moves what follows so that it goes on: the
 * stream that jumps first continues without a hole, and the others keep their time to it. FFmpeg does the same, by its ts_discontinuity_process.
 */
export function createClockFollower(ticksPerSecond: number): {
  follow: (packet: Packet) => Packet;
  sections: () => ClockSection[];
} {
  const longestHoleTicks = longestHoleSeconds * ticksPerSecond;
  const longestOverlapTicks = longestOverlapSeconds * ticksPerSecond;
  const sections: ClockSection[] = [{ fromByte: 0, shiftTicks: 0 }];
  const streams = new Map<number, StreamClock>();
  let latestDts: number | undefined;

  const goesOn = (dts: number, stream: StreamClock | undefined): boolean => {
    if (latestDts === undefined) return true;
    if (stream && dts < stream.lastDts - longestOverlapTicks) return false;
    // one stream may pause while the others go on
    const isLate = dts > Math.max(stream?.nextDts ?? latestDts, latestDts) + longestHoleTicks;
    const isEarly = !stream && dts < latestDts - longestHoleTicks;
    return !isLate && !isEarly;
  };

  /** The section that a packet is in. A new one is begun where the clock does not go on. */
  const sectionOf = (packet: Packet, position: number, stream: StreamClock | undefined): ClockSection => {
    const current = sections.at(-1)!;
    const before = sections.at(-2);
    if (before && position < current.fromByte) {
      // packets of several streams are handed out in another order than they begin in
      if (goesOn(packet.dts + before.shiftTicks, stream)) return before;
      current.fromByte = Math.max(position, before.fromByte);
    }
    if (goesOn(packet.dts + current.shiftTicks, stream)) return current;
    if (sections.length > maxClockSections) throw tooManySections();
    const shiftTicks = (stream?.nextDts ?? latestDts ?? 0) - packet.dts;
    // after a few wrong times the clock is back at what it was, to the tick
    const isBack = before !== undefined && Math.abs(shiftTicks - before.shiftTicks) <= longestOverlapTicks;
    const next = { fromByte: position, shiftTicks: isBack ? before.shiftTicks : shiftTicks };
    sections.push(next);
    return next;
  };

  return {
    follow: (packet) => {
      const stream = streams.get(packet.streamIndex);
      const position = packet.endByte > 0 ? packet.endByte - packet.bytes : (stream?.position ?? 0);
      const { shiftTicks } = sectionOf(packet, position, stream);
      const dts = packet.dts + shiftTicks;
      const durationTicks = packet.durationTicks || (stream ? Math.max(0, dts - stream.lastDts) : 0);
      streams.set(packet.streamIndex, { lastDts: dts, nextDts: dts + durationTicks, position });
      latestDts = Math.max(latestDts ?? dts, dts);
      return { ...packet, dts, pts: packet.pts + shiftTicks };
    },
    sections: () => sections.slice(1),
  };
}

const tooManySections = (): JobError =>
  new JobError(
    'INPUT_UNSUPPORTED',
    `The clock of the recording starts again more than ${maxClockSections} times. Convert it to MP4 or MKV and upload that.`,
  );
