import type { EncodeVideoSpec } from '../../../shared/protocol/jobs.ts';
import type { DecoderMessages } from './decoder-messages.ts';
import { refusedPackets } from './refused-packets.ts';

/** A recording may begin and end within a block of sound, an MP3 with tags: one packet that is none is no damage. */
const bearableSoundPackets = 1;

/**
 * What an uploader should know of a chunk's source that only decoding shows, a sentence each. `decodedFrames` are those of a chunk whose frames are
 * counted, null where they are picked by time.
 */
export function videoDamage(
  { grid, chunk }: EncodeVideoSpec,
  { decodedFrames, refusedPackets, damagedFrames }: DecoderMessages & { decodedFrames: number | null },
): string[] {
  const secondsAt = (frame: number): string => `${((frame * grid.ticksPerFrame) / grid.timescale).toFixed(1)} s`;
  const where = `Between ${secondsAt(chunk.startFrame)} and ${secondsAt(chunk.endFrame)}`;
  const planned = chunk.endFrame - chunk.startFrame;
  if (decodedFrames !== null && decodedFrames < planned) {
    return [`${where}, ${planned - decodedFrames} of ${planned} frames cannot be decoded: ${standIn}`];
  }
  if (decodedFrames !== null && decodedFrames > planned) {
    return [
      `${where}, the file decodes to ${decodedFrames} frames instead of ${planned}: those too many are left out.`,
    ];
  }
  if (decodedFrames === null && refusedPackets > 0) {
    return [`${where}, some frames cannot be decoded: ${standIn}`];
  }
  if (damagedFrames > 0) {
    return [`${where}, the picture is damaged in ${damagedFrames} ${damagedFrames === 1 ? 'place' : 'places'}.`];
  }
  return [];
}

const standIn = 'the frame before stands in for each.';

/** The same of a track of sound. */
export const audioDamage = ({ stderrTail }: { stderrTail: string }): string[] =>
  refusedPackets(stderrTail) > bearableSoundPackets
    ? ['A part of the sound cannot be decoded: it is silent there.']
    : [];
