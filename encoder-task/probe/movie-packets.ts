import type { Packet } from '../ffmpeg/ffprobe-args.ts';
import { hiddenFlag, keyFlag } from '../isobmff/sample-list.ts';
import type { MovieTrack } from '../isobmff/track.ts';

/** The packets of a track as a demuxer would hand them out, without those that end beyond the file's `totalBytes`. */
export function* moviePackets(track: MovieTrack, streamIndex: number, totalBytes: number): Generator<Packet> {
  const { samples, shiftTicks } = track;
  for (let index = 0; index < samples.length; index++) {
    const bytes = samples.bytes[index]!;
    const endByte = samples.positions[index]! + bytes;
    if (endByte > totalBytes) continue;
    yield {
      ...{ streamIndex, bytes, endByte },
      dts: samples.decodeTicks[index]!,
      pts: samples.decodeTicks[index]! + shiftTicks + samples.compositionOffsets[index]!,
      durationTicks: durationOf(track, index),
      isKey: (samples.flags[index]! & keyFlag) !== 0,
      isShown: (samples.flags[index]! & hiddenFlag) === 0,
      isDamaged: false,
    };
  }
}

/** Up to the next one is decoded; the last has what is left of the track, or where frames change places as long as the one before. */
function durationOf({ samples, isInOrder, durationTicks }: MovieTrack, index: number): number {
  const { decodeTicks, length } = samples;
  // one edit may end after the hidden frames before the next one have begun
  if (index + 1 < length) return Math.max(0, decodeTicks[index + 1]! - decodeTicks[index]!);
  if (isInOrder) return Math.max(0, durationTicks - decodeTicks[index]!);
  return index > 0 ? decodeTicks[index]! - decodeTicks[index - 1]! : durationTicks;
}
