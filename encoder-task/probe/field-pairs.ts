import * as z from 'zod';
import type { ProbeStream } from '../../shared/protocol/probe-document.ts';

/** What the first frames that decode say of the rest: `frameTicks` is the least time from one to the next, null when that is not known. */
export type Fields = { interlaced: boolean; frameTicks: number | null };

/**
 * H.264 may code each of a picture's fields by itself. Transport streams, and MP4 copied from them, then have two packets for one frame, a field apart,
 * and MP4's headers say nothing of it. Parsers put the fields of other codecs together.
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

/** Reads ffprobe's document of the first frames, see `firstFramesArgs`. */
export function readFields(document: unknown): Fields {
  const { frames = [] } = framesSchema.parse(document);
  const shown = frameTimes(document);
  const steps = shown.slice(1).map((pts, n) => pts - shown[n]!);
  const apart = steps.filter((ticks) => ticks > 0);
  return {
    interlaced: frames.some(({ interlaced_frame }) => interlaced_frame === 1),
    frameTicks: apart.length > 0 ? Math.min(...apart) : null,
  };
}

/** The times of the frames in that document, in the order in which they are shown. */
export const frameTimes = (document: unknown): number[] =>
  (framesSchema.parse(document).frames ?? [])
    .flatMap(({ best_effort_timestamp: pts }) => pts ?? [])
    .sort((a, b) => a - b);

/** A field comes half a frame after the other, and no frame that early after the one before it; where ticks are coarse, a half is not exact. */
const mostOfFrame = 0.75;

/** Tells for each packet of a track, in the order of the file, whether it is the second field of the one before. */
export function createFieldFinder(frameTicks: number | null): (pts: number) => boolean {
  let firstField: number | undefined;
  return (pts) => {
    const isSecond =
      frameTicks !== null &&
      firstField !== undefined &&
      pts > firstField &&
      pts - firstField < frameTicks * mostOfFrame;
    firstField = isSecond ? undefined : pts;
    return isSecond;
  };
}
