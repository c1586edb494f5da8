import { maxAllocArgs, untrustedInputArgs } from './input-args.ts';

/** argv of ffprobe's look at the headers: one JSON document of format and streams. */
export const describeArgs = (sourceUrl: string): string[] => [
  ...['-hide_banner', '-v', 'error', ...maxAllocArgs, ...untrustedInputArgs],
  ...['-show_format', '-show_streams', '-of', 'json', sourceUrl],
];

/** argv of a look at one track and its first frame, for what only the bitstream says: one JSON document. */
export const firstFrameArgs = (sourceUrl: string, streamIndex: number): string[] => [
  ...['-hide_banner', '-v', 'error', ...maxAllocArgs, ...untrustedInputArgs],
  ...['-select_streams', String(streamIndex), '-read_intervals', '%+#1'],
  ...['-show_streams', '-show_frames', '-of', 'json', sourceUrl],
];

/** argv of a look at files of one track that were made in the job's folder, joined in this order: one JSON document of format and streams. */
export const describeTrackArgs = (files: string[]): string[] => [
  ...['-hide_banner', '-v', 'error', ...maxAllocArgs],
  ...['-protocol_whitelist', 'concat,file', '-format_whitelist', 'mov'],
  ...['-show_format', '-show_streams', '-of', 'json', `concat:${files.join('|')}`],
];

/** Two seconds of most interlaced sources. */
const fieldPackets = 100;

/** argv of the times of the frames that a track's first packets decode to, and whether they are of two fields: one JSON document. */
export const firstFramesArgs = (sourceUrl: string, streamIndex: number, packets = fieldPackets): string[] => [
  ...['-hide_banner', '-v', 'error', ...maxAllocArgs, ...untrustedInputArgs],
  ...['-select_streams', String(streamIndex), '-read_intervals', `%+#${packets}`],
  ...['-show_entries', 'frame=best_effort_timestamp,interlaced_frame', '-of', 'json', sourceUrl],
];

/** argv that lists every packet of every stream, one line each, as `readPacketLine` takes it. */
export const listPacketsArgs = (sourceUrl: string): string[] => [
  ...['-hide_banner', '-v', 'error', ...maxAllocArgs, ...untrustedInputArgs],
  ...['-show_packets', '-show_entries', 'packet=stream_index,pts,dts,duration,size,pos,flags'],
  ...['-of', 'compact=print_section=0', sourceUrl],
];

/** A packet in its stream's ticks. */
export type Packet = {
  streamIndex: number;
  /** when it is decoded, where the container does not say when it is shown */
  pts: number;
  dts: number;
  durationTicks: number;
  bytes: number;
  /** where it ends in the file; 0 when the container does not say */
  endByte: number;
  isKey: boolean;
  /** false for what is decoded but never seen or heard: before an edit list's start, or an encoder's priming */
  isShown: boolean;
  /** incomplete by the container's own account */
  isDamaged: boolean;
};

/** Undefined for a packet without any time. */
export function readPacketLine(line: string): Packet | undefined {
  const fields: Record<string, string> = Object.fromEntries(line.split('|').map((field) => field.split('=')));
  const flags = fields.flags ?? '';
  // AVI and some transport streams only say when to decode
  const pts = Number(fields.pts === 'N/A' ? fields.dts : fields.pts);
  if (!Number.isInteger(pts) || fields.stream_index === undefined) return undefined;
  const bytes = Number(fields.size) || 0;
  return {
    streamIndex: Number(fields.stream_index),
    ...{ pts, dts: Number(fields.dts) || pts },
    durationTicks: Number(fields.duration) || 0,
    bytes,
    endByte: (Number(fields.pos) || -bytes) + bytes,
    isKey: flags.startsWith('K'),
    isShown: !flags.includes('D'),
    isDamaged: flags.includes('C'),
  };
}
