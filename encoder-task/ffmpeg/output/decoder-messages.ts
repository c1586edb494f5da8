import { isRefusal } from './refused-packets.ts';

/** Arguments after which ffmpeg puts its level in front of each message, and says each one. */
export const levelledMessagesArgs: readonly string[] = ['-v', 'repeat+level+info'];

/** What the decoder said of the frames of a chunk. */
export type DecoderMessages = {
  /** packets that it could make nothing of */
  refusedPackets: number;
  /** frames that it showed, though parts of them are guessed or refer to what is not there */
  damagedFrames: number;
};

/** What ffmpeg says of a frame that its decoder marks as corrupt. */
const corruptFrame = /corrupt decoded frame/;
/** What the decoders of H.264, MPEG-1, 2 and 4 say of a frame; with several threads, not each such frame is marked as corrupt in time. */
const concealedFrame = /\] \[info\] concealing \d+ DC, \d+ AC, \d+ MV errors/;
/** These decoders mark no frame. Whatever they call an error is one of a frame. */
const decoderError = /^\[(hevc|vp9) @ \S+\] \[error\] /;

/** What the filter says where the chunk's frames are near. */
const chunkIsNear = /^\[Parsed_showinfo_\S+ @ \S+\] \[info\] n:\s*0 /;
const keptLevel = /\[(?:error|fatal|panic)\] /;

/**
 * Reads ffmpeg's messages line by line. `read` gives what is worth keeping of one: errors, without their level; whatever else names the file's own tags,
 * too. Where the decoder begins ahead of the chunk, amid a group of frames perhaps, nothing counts before its frames are near.
 */
export function createMessageReader({ startsWithChunk }: { startsWithChunk: boolean }): {
  read: (line: string) => string | undefined;
  counted: () => DecoderMessages;
} {
  let isInChunk = startsWithChunk;
  const counts = { refused: 0, corrupt: 0, concealed: 0, errors: 0 };
  return {
    read: (line) => {
      if (chunkIsNear.test(line)) isInChunk = true;
      if (isInChunk) {
        if (isRefusal(line)) counts.refused += 1;
        if (corruptFrame.test(line)) counts.corrupt += 1;
        if (concealedFrame.test(line)) counts.concealed += 1;
        if (decoderError.test(line)) counts.errors += 1;
      }
      return keptLevel.test(line) ? line.replace(keptLevel, '') : undefined;
    },
    counted: () => ({
      refusedPackets: counts.refused,
      damagedFrames: Math.max(counts.corrupt, counts.concealed, counts.errors),
    }),
  };
}
