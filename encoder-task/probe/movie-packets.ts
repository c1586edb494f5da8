import type { Packet } from '../ffmpeg/ffprobe-args.ts';
import { hiddenFlag, keyFlag } from '../isobmff/sample-list.ts';
import type { MovieTrack } from '../isobmff/track.ts';

/** The packets of a track as a demuxer returns them, without those that extend beyond the file. */
export function* moviePackets(track: MovieTrack, streamIndex: number, totalBytes: number): Generator<Packet> {
  const { samples, shiftTicks } = track;
  for (let index = 0; index < samples.length; index++) {
    const bytes = samples.bytes[index]!;
    const endByte = samples.positions[index]! + bytes;
    if (endByte > totalBytes) continue;
    yield {
      streamIndex,
      bytes,
      endByte,
      dts: samples.decodeTicks[index]!,
      pts: samples.decodeTicks[index]! + shiftTicks + samples.compositionOffsets[index]!,
      durationTicks: durationOf(track, index),
      isKey: (samples.flags[index]! & keyFlag) !== 0,
      isPresented: (samples.flags[index]! & hiddenFlag) === 0,
      isDamaged: false,
    };
  }
}

/**
 * Time until the next decode time. The last packet has the rest of the track, or, with reordered frames, the duration
 * of the previous packet.
 */
function durationOf({ samples, isInOrder, durationTicks }: MovieTrack, index: number): number {
  const { decodeTicks, length } = samples;
  // the hidden frames of the next edit may start before this edit ends
  if (index + 1 < length) return Math.max(0, decodeTicks[index + 1]! - decodeTicks[index]!);
  if (isInOrder) return Math.max(0, durationTicks - decodeTicks[index]!);
  return index > 0 ? decodeTicks[index]! - decodeTicks[index - 1]! : durationTicks;
}
