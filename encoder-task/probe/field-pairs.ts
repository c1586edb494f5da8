import * as z from 'zod';
import type { ProbeStream } from '../../shared/protocol/probe-document.ts';

/**
 * Properties from the first decoded frames. `frameTicks` is the shortest time between two frames, null when unknown.
 */
export type Fields = { interlaced: boolean; frameTicks: number | null };

/**
 * H.264 can code the two fields of a frame separately. MPEG-TS, and MP4 copied from it, then have two packets per
 * frame, and the headers of MP4 do not signal it. For other codecs, FFmpeg's parsers join the fields.
 */
export const mayHaveFields = ({ codec_name, field_order }: ProbeStream): boolean =>
  codec_name === 'h264' && field_order !== 'progressive';

const framesSchema = z.object({
  frames: z
    .array(
      z.object({
        best_effort_timestamp: z.int().optional().catch(undefined),
        interlaced_frame: z.int().optional().catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
});

/** Reads the output of `firstFramesArgs`. */
export function readFields(document: unknown): Fields {
  const { frames = [] } = framesSchema.parse(document);
  const shown = frameTimes(document);
  const steps = shown.slice(1).map((pts, n) => pts - shown[n]!);
  const positive = steps.filter((ticks) => ticks > 0);
  return {
    interlaced: frames.some(({ interlaced_frame }) => interlaced_frame === 1),
    frameTicks: positive.length > 0 ? Math.min(...positive) : null,
  };
}

/** Presentation times of the frames in the same output, ascending. */
export const frameTimes = (document: unknown): number[] =>
  (framesSchema.parse(document).frames ?? [])
    .flatMap(({ best_effort_timestamp: pts }) => pts ?? [])
    .sort((a, b) => a - b);

/**
 * The second field follows the first after half a frame, or a little more with coarse ticks. The next frame never
 * follows that early.
 */
const maxFieldShare = 0.75;

/** Returns for each packet of a track, in file order, whether it is the second field of the previous packet. */
export function createFieldFinder(frameTicks: number | null): (pts: number) => boolean {
  let firstField: number | undefined;
  return (pts) => {
    const isSecond =
      frameTicks !== null &&
      firstField !== undefined &&
      pts > firstField &&
      pts - firstField < frameTicks * maxFieldShare;
    firstField = isSecond ? undefined : pts;
    return isSecond;
  };
}
