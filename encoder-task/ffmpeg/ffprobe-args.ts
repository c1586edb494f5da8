import { seeksByIndex } from '../../shared/media/seek.ts';
import { maxAllocArgs, probingArgs, untrustedInputArgs } from './input-args.ts';

/** The source as a server of the worker serves it. `probeBytes`: see `ProbeResult`. */
export type ProbeInput = { url: string; probeBytes?: number | undefined };

const readArgs = ({ probeBytes }: ProbeInput): string[] => [
  ...['-hide_banner', '-v', 'error', ...maxAllocArgs, ...untrustedInputArgs, ...probingArgs(probeBytes)],
];

/** argv that prints format, streams, programs and chapters from the headers as one JSON document. */
export const describeArgs = (input: ProbeInput): string[] => [
  ...readArgs(input),
  // otherwise FFmpeg would keep what it reads in memory
  ...(input.probeBytes === undefined ? [] : ['-fflags', 'nobuffer']),
  ...['-show_format', '-show_streams', '-show_programs', '-show_chapters', '-of', 'json', input.url],
];

/** argv that prints one stream and its first frame, for properties of the bitstream, as one JSON document. */
export const firstFrameArgs = (input: ProbeInput, streamIndex: number): string[] => [
  ...readArgs(input),
  ...['-select_streams', String(streamIndex), '-read_intervals', '%+#1'],
  ...['-show_streams', '-show_frames', '-of', 'json', input.url],
];

/**
 * argv that prints format and streams of one encoded track, whose files in the job folder are concatenated, as one JSON
 * document.
 */
export const describeTrackArgs = (files: string[]): string[] => [
  ...['-hide_banner', '-v', 'error', ...maxAllocArgs],
  ...['-protocol_whitelist', 'concat,file', '-format_whitelist', 'mov'],
  ...['-show_format', '-show_streams', '-of', 'json', `concat:${files.join('|')}`],
];

const firstFrameEntries = 'frame=best_effort_timestamp,interlaced_frame:frame_side_data=side_data_type';

/**
 * argv that decodes the first packets of a stream and prints times, interlacing and side data of the frames as one JSON
 * document.
 */
export const firstFramesArgs = (input: ProbeInput, streamIndex: number, packets: number): string[] => [
  ...readArgs(input),
  ...['-select_streams', String(streamIndex), '-read_intervals', `%+#${packets}`],
  ...['-show_entries', firstFrameEntries, '-of', 'json', input.url],
];

/** Packets after a seek in which the key frame is, and seconds before it to seek to. */
type SeekReach = { packets: number; beforeSeconds: number };

/**
 * How far a seek for a key frame has to read. With an index it leads to the key frame; the millisecond is against
 * rounding. In MPEG-TS it leads to up to half a second before the time.
 */
export const seekReach = (formatName: string, framesPerSecond: number): SeekReach =>
  seeksByIndex(formatName)
    ? { packets: 60, beforeSeconds: -0.001 }
    : { packets: 60 + 2 * Math.ceil(Math.min(framesPerSecond, 1000)), beforeSeconds: 0.5 };

/**
 * argv that decodes key frames of a stream near the given times and prints their times and sizes as one JSON document.
 */
export const keyFrameArgs = (
  input: ProbeInput,
  { streamIndex, atSeconds, reach }: { streamIndex: number; atSeconds: number[]; reach: SeekReach },
): string[] => [
  ...readArgs(input),
  ...['-skip_frame', 'nokey', '-select_streams', String(streamIndex)],
  '-read_intervals',
  atSeconds.map((at) => `${Math.max(0, at - reach.beforeSeconds).toFixed(6)}%+#${reach.packets}`).join(','),
  ...['-show_entries', 'frame=best_effort_timestamp,width,height,sample_aspect_ratio', '-of', 'json', input.url],
];

/** argv that prints the chapters as one JSON document. */
export const listChaptersArgs = (input: ProbeInput): string[] => [
  ...readArgs(input),
  ...['-show_chapters', '-of', 'json', input.url],
];

/**
 * argv that prints the times and the bytes of all packets of subtitle tracks, for `createTextPacketReader`. Without
 * edits, the times are those of the media of an MP4. `sampleSeconds` is the length of the part that is read, by default
 * all.
 */
export const textPacketsArgs = (
  input: ProbeInput,
  { withEdits, sampleSeconds }: { withEdits: boolean; sampleSeconds?: number },
): string[] => [
  ...readArgs(input),
  ...(withEdits ? [] : ['-ignore_editlist', '1']),
  ...(sampleSeconds === undefined ? [] : ['-read_intervals', `%+${sampleSeconds}`]),
  ...['-select_streams', 's', '-show_packets', '-show_data'],
  ...['-show_entries', 'packet=stream_index,pts_time,duration_time,size,data:packet_side_data=side_data_type,data'],
  ...['-of', 'default', input.url],
];

/** argv that prints one line for every packet of every stream, for `readPacketLine`. */
export const listPacketsArgs = (input: ProbeInput): string[] => [
  ...readArgs(input),
  ...['-show_packets', '-show_entries', 'packet=stream_index,pts,dts,duration,size,pos,flags'],
  ...['-of', 'compact=print_section=0', input.url],
];

/** A packet of a stream. Times are in ticks of the stream. */
export type Packet = {
  streamIndex: number;
  pts: number;
  /** the container has no presentation time for it: `pts` is the decode time */
  isTimedByDecoding?: true;
  dts: number;
  durationTicks: number;
  bytes: number;
  /** position after its last byte in the file; 0 when unknown */
  endByte: number;
  isKey: boolean;
  /** false for a packet that is decoded but not presented: before the start of an edit list, or an encoder's priming */
  isPresented: boolean;
  /** the demuxer marks it as incomplete */
  isDamaged: boolean;
};

export type UntimedPacket = Omit<Packet, 'pts' | 'dts'>;

/** Parses a line of `listPacketsArgs`. */
export function readPacketLine(line: string): Packet | UntimedPacket | undefined {
  const fields: Record<string, string> = Object.fromEntries(line.split('|').map((field) => field.split('=')));
  const flags = fields.flags ?? '';
  // AVI and some MPEG-TS files have only decode times
  const hasPts = fields.pts !== 'N/A';
  const pts = Number(hasPts ? fields.pts : fields.dts);
  if (fields.stream_index === undefined) return undefined;
  const bytes = Number(fields.size) || 0;
  const packet = {
    streamIndex: Number(fields.stream_index),
    durationTicks: Number(fields.duration) || 0,
    bytes,
    endByte: (Number(fields.pos) || -bytes) + bytes,
    isKey: flags.startsWith('K'),
    isPresented: !flags.includes('D'),
    isDamaged: flags.includes('C'),
  };
  if (!Number.isInteger(pts)) return packet;
  return { ...packet, pts, dts: Number(fields.dts) || pts, ...(hasPts ? {} : { isTimedByDecoding: true as const }) };
}
