import { parseRational } from '../../shared/media/rational.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { ProbeDocument } from '../../shared/protocol/probe-document.ts';
import { type ClockSection, maxClockSections } from '../../shared/protocol/probe-result.ts';
import type { Packet } from '../ffmpeg/ffprobe-args.ts';

/**
 * Ticks per second of a container whose clock may restart: MPEG-TS and MPEG-PS, when recordings were joined or a
 * broadcast jumps, and chained Ogg streams (RFC 3533, 4), which FFmpeg supports for a single audio track only.
 * Undefined for other containers.
 */
export function jumpingClockHz({ format, streams }: ProbeDocument): number | undefined {
  if (format.format_name === 'mpegts' || format.format_name === 'mpeg') return 90_000;
  const [only, ...more] = streams;
  const isOneTrack = only?.codec_type === 'audio' && more.length === 0;
  const timeBase = parseRational(only?.time_base);
  return format.format_name === 'ogg' && isOneTrack && timeBase ? timeBase.den / timeBase.num : undefined;
}

/** FFmpeg's dts_delta_threshold: a shorter gap is part of the recording. */
const maxGapSeconds = 10;
/** Streams are not cut at the same time, so a new recording may overlap the previous one by this much. */
const maxOverlapSeconds = 0.1;

type StreamClock = { lastDts: number; nextDts: number; position: number };

/**
 * Finds where the clock of a file restarts or jumps, from its packets in file order, and shifts the following packets
 * so that times are continuous: the stream that jumps first continues without a gap, and the other streams keep their
 * offset to it. The same as FFmpeg's ts_discontinuity_process.
 */
export function createClockFollower(ticksPerSecond: number): {
  follow: (packet: Packet) => Packet;
  sections: () => ClockSection[];
} {
  const maxGapTicks = maxGapSeconds * ticksPerSecond;
  const maxOverlapTicks = maxOverlapSeconds * ticksPerSecond;
  const sections: ClockSection[] = [{ fromByte: 0, shiftTicks: 0 }];
  const streams = new Map<number, StreamClock>();
  let latestDts: number | undefined;

  const isContinuous = (dts: number, stream: StreamClock | undefined): boolean => {
    if (latestDts === undefined) return true;
    if (stream && dts < stream.lastDts - maxOverlapTicks) return false;
    // one stream may pause while the others continue
    const isLate = dts > Math.max(stream?.nextDts ?? latestDts, latestDts) + maxGapTicks;
    const isEarly = !stream && dts < latestDts - maxGapTicks;
    return !isLate && !isEarly;
  };

  /** The section of a packet. A new section starts where the clock is not continuous. */
  const sectionOf = (packet: Packet, position: number, stream: StreamClock | undefined): ClockSection => {
    const current = sections.at(-1)!;
    const before = sections.at(-2);
    if (before && position < current.fromByte) {
      // the demuxer does not return packets of several streams in file order
      if (isContinuous(packet.dts + before.shiftTicks, stream)) return before;
      current.fromByte = Math.max(position, before.fromByte);
    }
    if (isContinuous(packet.dts + current.shiftTicks, stream)) return current;
    if (sections.length > maxClockSections) throw tooManySections();
    const shiftTicks = (stream?.nextDts ?? latestDts ?? 0) - packet.dts;
    // after a few wrong times the clock returns to its earlier value
    const isBack = before !== undefined && Math.abs(shiftTicks - before.shiftTicks) <= maxOverlapTicks;
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
    `The clock of the recording restarts more than ${maxClockSections} times. Convert it to MP4 or MKV and upload that file.`,
  );
