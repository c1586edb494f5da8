import * as z from 'zod';
import { decisionSchema } from '../../../shared/protocol/decisions.ts';
import { sphericalSchema } from '../../../shared/protocol/probe-result.ts';

const bitsPerSecond = z.int().min(0);
const seconds = z.number().min(0);

const trackMeta = z
  .object({
    codecs: z.string().meta({ description: 'RFC 6381, as in the CODECS of manifests.' }),
    copied: z.literal(true).meta({ description: 'The track is that of the source, packaged without encoding.' }),
    profile: z.string().meta({ description: "In ffprobe's words, such as High or Main 10." }),
    level: z.string().meta({ description: 'Of the video codec, such as 3.1.' }),
    duration: seconds.meta({ description: 'Seconds, up to 3 decimals.' }),
    bitrate: bitsPerSecond.meta({ description: 'Bits a second on average, measured.' }),
    peak_bitrate: bitsPerSecond.meta({ description: 'Bits a second at most, as RFC 8216 measures a peak.' }),
    frame_rate: z.number().min(0).meta({ description: 'Frames a second, up to 3 decimals.' }),
    pixel_format: z.string().meta({ description: "ffmpeg's name, such as yuv420p." }),
    color_primaries: z.string(),
    color_transfer: z.string(),
    color_space: z.string(),
    color_range: z.string(),
    sample_rate: z.int().min(1).meta({ description: 'Hertz.' }),
    channel_layout: z.string().meta({ description: "ffmpeg's name, such as stereo or 5.1." }),
    loudness: z.number().meta({ description: 'LUFS of EBU R128, measured. Only of a track that was normalised.' }),
  })
  .partial();

/** Properties of an encoded track, or of a file and its tracks. Unknown or inapplicable properties are absent. */
export const encodedMeta = z.object({
  ...trackMeta.shape,
  video: trackMeta.meta({ description: 'Of a muxed stream: its video track.' }).optional(),
  audio: trackMeta.meta({ description: 'Of a muxed stream: its audio track.' }).optional(),
});

const { shape } = decisionSchema;
const decision = z
  .object({
    code: shape.code,
    message: shape.message.meta({ description: 'One sentence for the uploader.' }),
    facts: shape.facts.meta({ description: 'Numbers and names of the decision.' }),
  })
  .meta({ id: 'Decision', description: 'A decision about a source that the template leaves open.' });

const sourceMeta = z.object({
  format: z.record(z.string(), z.unknown()).meta({ description: "Of the original: ffprobe's facts about the file." }),
  streams: z.array(z.record(z.string(), z.unknown())).meta({
    description: "Of the original: ffprobe's facts about its tracks.",
  }),
  spherical: sphericalSchema.meta({
    description:
      'Of the original, if it is a 360° video: its projection, the parts of a frame for each eye, and the turn of the panorama in degrees.',
  }),
  warnings: z.array(z.string()).meta({
    description: 'For the original: notes on the result, one sentence each.',
  }),
  decisions: z.array(decision).meta({
    description:
      'For the original: what was chosen, guessed, left out or changed, see docs/encoding.md. Empty when nothing had to be decided.',
  }),
});

const encodedExample = {
  codecs: 'avc1.64001f',
  profile: 'High',
  level: '3.1',
  duration: 63.48,
  bitrate: 2_731_904,
  peak_bitrate: 3_896_120,
  frame_rate: 29.97,
  pixel_format: 'yuv420p',
  color_primaries: 'bt709',
  color_transfer: 'bt709',
  color_space: 'bt709',
  color_range: 'tv',
};

/** Measured properties of a stream. */
export const streamMeta = z
  .looseObject({ ...sourceMeta.shape, ...encodedMeta.shape })
  .partial()
  .meta({
    id: 'StreamMeta',
    description:
      'Facts about the finished file, none of them copied from the request. Of the original the document that ffprobe made of it, {} until it was probed. Of an encoded track {} until all of it is encoded.',
    examples: [encodedExample],
  });
