import * as z from 'zod';

/**
 * What the service may have to decide about a source: what is chosen, guessed, left out or changed. docs/encoding.md
 * describes each code.
 */
export const decisionCodes = [
  // tracks
  'video_track_chosen',
  'video_track_left_out',
  'audio_track_chosen',
  'audio_track_left_out',
  'audio_tracks_joined',
  'program_chosen',
  'text_track_left_out',
  // times
  'frame_rate_chosen',
  'frame_rate_capped',
  'track_extended',
  // picture
  'level_raised',
  'frame_size_chosen',
  'picture_cropped',
  'picture_unchanged',
  'transparency_composited',
  'color_assumed',
] as const;

/** Each decision is stored with the video, whose streams share one item of the table. */
export const maxDecisions = 30;

const detail = z.union([z.string().max(128), z.number(), z.boolean()]);

export const decisionSchema = z.object({
  code: z.enum(decisionCodes),
  /** one sentence for the uploader */
  message: z.string().max(300),
  /** what was decided about, by name, such as `streams: [1, 2]` */
  facts: z.record(z.string().regex(/^[a-z0-9_]{1,32}$/), z.union([detail, z.array(detail).max(64)])),
});
export type Decision = z.infer<typeof decisionSchema>;
