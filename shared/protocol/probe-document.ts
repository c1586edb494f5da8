import * as z from 'zod';

/**
 * The ffprobe document of a source, with bounds for each field. A file can contain any value: one out of bounds is
 * treated as absent, so that the result can always be stored. Workers parse the output of ffprobe with these schemas,
 * and the service parses what workers send.
 */
const text = z.string().max(256).optional().catch(undefined);
const integer = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1)
  .optional()
  .catch(undefined);
/** Degrees. ffprobe prints the smallest 64-bit integer for a matrix that maps the frame to a point. */
const rotation = z.number().min(-360).max(360).optional().catch(undefined);

const formatSchema = z.object({
  format_name: z.string().max(128),
  nb_streams: integer,
  start_time: text,
  duration: text,
  size: text,
  bit_rate: text,
});

const streamSchema = z.object({
  index: z.int().min(0).max(0xffff),
  codec_type: text,
  codec_name: text,
  codec_tag: text,
  codec_tag_string: text,
  profile: text,
  width: integer,
  height: integer,
  sample_aspect_ratio: text,
  display_aspect_ratio: text,
  pix_fmt: text,
  level: integer,
  color_range: text,
  color_space: text,
  color_transfer: text,
  color_primaries: text,
  field_order: text,
  has_b_frames: integer,
  sample_rate: text,
  channels: integer,
  channel_layout: text,
  r_frame_rate: text,
  avg_frame_rate: text,
  time_base: text,
  start_time: text,
  duration: text,
  bit_rate: text,
  bits_per_raw_sample: text,
  nb_frames: text,
  disposition: z.record(z.string().min(1).max(32), z.int().min(0).max(1)).optional().catch(undefined),
  tags: z
    .object({ language: text, rotate: text, title: text, handler_name: text, alpha_mode: text })
    .optional()
    .catch(undefined),
  side_data_list: z
    .array(
      z.object({
        side_data_type: text,
        rotation,
        // of Dolby Vision
        dv_profile: integer,
        dv_bl_signal_compatibility_id: integer,
        bl_present_flag: integer,
        // of 360° and stereoscopic video
        projection: text,
        type: text,
        yaw: rotation,
        pitch: rotation,
        roll: rotation,
      }),
    )
    .max(100)
    .optional()
    .catch(undefined),
});

/** The fields of the ffprobe document that are used. All other tags are dropped. */
export const probeDocumentSchema = z.object({ format: formatSchema, streams: z.array(streamSchema).max(1000) });
export type ProbeDocument = z.infer<typeof probeDocumentSchema>;
export type ProbeStream = ProbeDocument['streams'][number];

/** JSON size of the part of the document that is stored with the video. */
export const maxMetaBytes = 32 * 1024;

/** The part of the document that is stored: as many streams as fit. */
export const sourceMetaSchema = probeDocumentSchema
  .partial()
  .refine((meta) => Buffer.byteLength(JSON.stringify(meta)) <= maxMetaBytes, 'too large');
