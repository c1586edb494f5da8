import type { EncodeVideoSpec } from '../../../shared/protocol/jobs.ts';
import type { DecoderMessages } from './decoder-messages.ts';
import { rejectedPackets } from './rejected-packets.ts';

/**
 * A recording may start or end within a block of audio, such as an MP3 file with tags, so one rejected packet is no
 * damage.
 */
const maxRejectedPackets = 1;

/**
 * Warnings for the uploader about damage that shows when a chunk is decoded, one sentence each. `decodedFrames` is null
 * when frames are selected by time and not counted.
 */
export function videoDamage(
  { grid, chunk }: EncodeVideoSpec,
  { decodedFrames, rejectedPackets, damagedFrames }: DecoderMessages & { decodedFrames: number | null },
): string[] {
  const { pictures: planned = chunk.endFrame - chunk.startFrame } = chunk;
  const secondsAt = (frame: number): string => `${((frame * grid.ticksPerFrame) / grid.timescale).toFixed(1)} s`;
  // Its frames repeat one of another chunk, which has the warning.
  if (planned === 0) return [];
  const where = `Between ${secondsAt(chunk.startFrame)} and ${secondsAt(chunk.endFrame)}`;
  if (decodedFrames !== null && decodedFrames < planned) {
    return [`${where}, ${planned - decodedFrames} of ${planned} frames cannot be decoded: ${repeated}`];
  }
  if (decodedFrames !== null && decodedFrames > planned) {
    return [
      `${where}, the file decodes to ${decodedFrames} frames instead of ${planned}: the extra frames are dropped.`,
    ];
  }
  if (decodedFrames === null && rejectedPackets > 0) {
    return [`${where}, some frames cannot be decoded: ${repeated}`];
  }
  if (damagedFrames > 0) {
    return [`${where}, the video is damaged in ${damagedFrames} ${damagedFrames === 1 ? 'place' : 'places'}.`];
  }
  return [];
}

const repeated = 'the previous frame is repeated instead.';

/** Warnings about an audio track. */
export const audioDamage = ({ stderrTail }: { stderrTail: string }): string[] =>
  rejectedPackets(stderrTail) > maxRejectedPackets ? ['A part of the audio cannot be decoded and is silent.'] : [];
