import * as z from 'zod';
import { streamStatuses } from '../statuses.ts';
import { timestamp, ulid } from './fields.ts';
import { streamMeta } from './stream-meta-fields.ts';

export const streamType = z.enum(['original', 'video', 'audio', 'muxed']).meta({ id: 'StreamType' });

/** A track as it is answered. */
export const stream = z
  .object({
    id: z.int(),
    ulid,
    video_id: z.int(),
    name: z.string(),
    type: streamType,
    width: z.int().min(0).nullable(),
    height: z.int().min(0).nullable(),
    size: z.int().min(0).nullable().meta({ description: 'Bytes; null until written.' }),
    language: z.string().nullable().meta({ description: 'BCP 47 tag, und when unknown, null for video-only.' }),
    channels: z.int().min(0).nullable(),
    meta: streamMeta,
    input_params: z.record(z.string(), z.unknown()).meta({
      description:
        'How the track is encoded, in the keys of InputParams. width, height, bitrates, fps, channels, sample_rate and language are those that it has for this source.',
    }),
    error_log: z.string().nullable().meta({
      description: 'Why the track could not be encoded, or why no output could be packaged with it.',
    }),
    status: z.enum(streamStatuses).meta({
      description:
        'An encoded track is completed when an output plays it, and failed when every output that needs it failed.',
    }),
    created_at: timestamp,
    source_deleted_at: timestamp.nullable().meta({
      description: 'Of an original: when the uploaded file was deleted. What needs the file then answers 409.',
    }),
  })
  .meta({ id: 'Stream' });
