import * as z from 'zod';

/**
 * ffprobe's document of a source, field by field within bounds. A file can state anything: what is out of bounds counts as not stated, so that all that
 * comes out of these schemas can be stored. Workers read ffprobe's words with them, and the service reads a worker's.
 */
const text = z.string().max(256).optional().catch(undefined);
const integer = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1)
  .optional()
  .catch(undefined);
/** Degrees. ffprobe prints the smallest 64-bit integer for a matrix that maps the picture to a point. */
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
  tags: z.object({ language: text, rotate: text }).optional().catch(undefined),
  side_data_list: z
    .array(z.object({ side_data_type: text, rotation }))
    .max(100)
    .optional()
    .catch(undefined),
});

/** What is read of ffprobe's document. Whatever else a stranger wrote into the file's tags is dropped here. */
export const probeDocumentSchema = z.object({ format: formatSchema, streams: z.array(streamSchema).max(1000) });
export type ProbeDocument = z.infer<typeof probeDocumentSchema>;
export type ProbeStream = ProbeDocument['streams'][number];

/** As JSON, of what is kept of the document with the video's record. */
export const maxMetaBytes = 32 * 1024;

/** What is kept of a document: as many of its streams as fit. */
export const sourceMetaSchema = probeDocumentSchema
  .partial()
  .refine((meta) => Buffer.byteLength(JSON.stringify(meta)) <= maxMetaBytes, 'too large');
