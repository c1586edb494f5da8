import * as z from 'zod';
import { audioCodecs, containers, videoCodecs } from '../../../shared/media/codecs.ts';
import { outputFormats } from '../../../shared/media/output-formats.ts';
import { maxFrames, maxPictureSide, maxPixels } from '../../../shared/protocol/probe-result.ts';

const side = z.int().min(1).max(maxPictureSide);

/** A source that has not been uploaded. */
export const estimateSource = z
  .object({
    width: side,
    height: side,
    fps: z.number().min(1).max(240),
    duration_seconds: z.number().min(0.001).max(maxFrames),
  })
  .check(({ value: { width, height, fps, duration_seconds }, value, issues }) => {
    const refuse = (field: keyof typeof value, message: string) =>
      issues.push({ code: 'custom', path: [field], message, input: value[field] });
    if (width * height > maxPixels) refuse('height', 'The source must not have more than 8192 × 4320 pixels.');
    if (fps * duration_seconds > maxFrames)
      refuse('duration_seconds', `The source must not have more than ${maxFrames} frames.`);
  })
  .meta({
    id: 'EstimateSource',
    description: 'Video upright and in square pixels, with up to 35,389,440 pixels and 5,184,000 frames.',
  });

const bytes = z.int().min(0);
const pixels = z.int().min(1).nullable().meta({ description: 'Null for audio.' });
const range = z.object({ min: z.number().min(0), max: z.number().min(0) });

export const estimate = z
  .object({
    renditions: z.array(
      z.object({
        kind: z.enum(['video', 'audio']),
        name: z.string(),
        codec: z.enum([...videoCodecs, ...audioCodecs]),
        width: pixels,
        height: pixels,
        fps: z.number().nullable().meta({ description: 'Null for audio.' }),
        bitrate: z.int().min(1).meta({ description: 'Average in bit/s.' }),
        bytes,
      }),
    ),
    outputs: z.array(
      z.object({
        name: z.string(),
        format: z.enum(outputFormats),
        container: z.enum(containers),
        bytes: bytes.meta({ description: 'Of all its renditions.' }),
      }),
    ),
    bytes: bytes.meta({
      description:
        'What is stored besides the source: renditions once, although HLS and DASH share them, and remuxed outputs (MPEG-TS, MP4) in addition.',
    }),
    cpu_seconds: range.meta({ description: 'Of all jobs but remuxing, on one core.' }),
    cost: z
      .object({ currency: z.literal('USD'), ...range.shape })
      .meta({ description: 'Processing on AWS: min with all tasks on Spot, max with all on demand.' }),
  })
  .meta({ id: 'Estimate' });
