import { isRejection } from './rejected-packets.ts';

/** Arguments that make ffmpeg print the level of each message, and every repeated message. */
export const messageArgs: readonly string[] = ['-v', 'repeat+level+info'];

/** Counts from the decoder's messages about the frames of a chunk. */
export type DecoderMessages = {
  /** packets that it could not decode */
  rejectedPackets: number;
  /** frames that it returned with concealed parts or missing references */
  damagedFrames: number;
};

/** ffmpeg's message about a frame that the decoder marks as corrupt. */
const corruptFrame = /corrupt decoded frame/;
/**
 * From the decoders of H.264, MPEG-1, 2 and 4. With several threads, they do not mark every such frame as corrupt in
 * time.
 */
const concealedFrame = /\] \[info\] concealing \d+ DC, \d+ AC, \d+ MV errors/;
/** These decoders mark no frames as corrupt. Each of their errors concerns a frame. */
const decoderError = /^\[(hevc|vp9) @ \S+\] \[error\] /;

/** The message of the filter `markStart`, shortly before the chunk. */
const chunkStart = /^\[Parsed_showinfo_\S+ @ \S+\] \[info\] n:\s*0 /;
const keptLevel = /\[(?:error|fatal|panic)\] /;

/**
 * Reads ffmpeg's messages line by line. `read` returns errors without their level, and undefined for other messages,
 * which may contain tags of the file. When the decoder starts before the chunk, possibly within a GOP, nothing is
 * counted until shortly before the chunk.
 */
export function createMessageReader({ startsWithChunk }: { startsWithChunk: boolean }): {
  read: (line: string) => string | undefined;
  counts: () => DecoderMessages;
} {
  let isInChunk = startsWithChunk;
  const found = { rejected: 0, corrupt: 0, concealed: 0, errors: 0 };
  return {
    read: (line) => {
      if (chunkStart.test(line)) isInChunk = true;
      if (isInChunk) {
        if (isRejection(line)) found.rejected += 1;
        if (corruptFrame.test(line)) found.corrupt += 1;
        if (concealedFrame.test(line)) found.concealed += 1;
        if (decoderError.test(line)) found.errors += 1;
      }
      return keptLevel.test(line) ? line.replace(keptLevel, '') : undefined;
    },
    counts: () => ({
      rejectedPackets: found.rejected,
      damagedFrames: Math.max(found.corrupt, found.concealed, found.errors),
    }),
  };
}
