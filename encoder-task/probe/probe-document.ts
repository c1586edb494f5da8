import * as z from 'zod';

const text = z.string().max(256).optional().catch(undefined);
const integer = z.int().optional().catch(undefined);

const streamSchema = z.object({
  index: z.int().nonnegative(),
  codec_type: text,
  codec_name: text,
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
  disposition: z.record(z.string(), z.int()).optional().catch(undefined),
  tags: z.object({ language: text, rotate: text }).optional().catch(undefined),
  side_data_list: z
    .array(z.object({ side_data_type: text, rotation: z.number().optional().catch(undefined) }))
    .optional()
    .catch(undefined),
});

/** What is read of ffprobe's document. Whatever else a stranger wrote into the file's tags is dropped here. */
export const probeDocumentSchema = z.object({
  format: z.object({
    format_name: z.string().max(128),
    nb_streams: integer,
    start_time: text,
    duration: text,
    size: text,
    bit_rate: text,
  }),
  streams: z.array(streamSchema).max(1000),
});
export type ProbeDocument = z.infer<typeof probeDocumentSchema>;
export type ProbeStream = ProbeDocument['streams'][number];

/** A picture that belongs to the file, such as of an album. */
export const isCoverArt = (stream: ProbeStream): boolean => stream.disposition?.attached_pic === 1;

const longestMetaBytes = 32 * 1024;

/** The document as it may be shown to the uploader: known fields only, and as many streams as fit. */
export function publicMeta(document: ProbeDocument): Record<string, unknown> {
  const streams = [...document.streams];
  while (JSON.stringify({ ...document, streams }).length > longestMetaBytes) streams.pop();
  return { format: document.format, streams };
}
