import * as z from 'zod';

/** A name from ffmpeg, such as `yuv420p`, `5.1(side)` or `Main 10`. */
const name = z
  .string()
  .regex(/^[A-Za-z0-9 .,:()+_-]{1,40}$/)
  .optional()
  .catch(undefined);

/** Properties that a worker measured of a track that it made. Absent or impossible values are left out. */
export const trackPropertiesSchema = z.object({
  profile: name,
  pixelFormat: name,
  colorPrimaries: name,
  colorTransfer: name,
  colorSpace: name,
  colorRange: name,
  sampleRateHz: z.int().positive().max(384_000).optional().catch(undefined),
  channelLayout: name,
  /** integrated loudness, EBU R128 */
  loudnessLufs: z.number().min(-100).max(20).optional().catch(undefined),
});
export type TrackProperties = z.infer<typeof trackPropertiesSchema>;
