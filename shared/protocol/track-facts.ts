import * as z from 'zod';

/** A name of ffmpeg's, such as `yuv420p`, `5.1(side)` or `Main 10`. */
const name = z
  .string()
  .regex(/^[A-Za-z0-9 .,:()+_-]{1,40}$/)
  .optional()
  .catch(undefined);

/** What a worker read of a track that it made. What the track does not tell is left out, and what cannot be true counts as not told. */
export const trackFactsSchema = z.object({
  profile: name,
  pixelFormat: name,
  colorPrimaries: name,
  colorTransfer: name,
  colorSpace: name,
  colorRange: name,
  sampleRateHz: z.int().positive().max(384_000).optional().catch(undefined),
  channelLayout: name,
  /** integrated, of EBU R128 */
  loudnessLufs: z.number().min(-100).max(20).optional().catch(undefined),
});
export type TrackFacts = z.infer<typeof trackFactsSchema>;
