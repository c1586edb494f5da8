import * as z from 'zod';
import { defaults } from '../../shared/defaults.ts';
import { audioCodecs, encoderPresets, profiles, videoCodecs } from '../../shared/media/codecs.ts';
import { outputFormats } from '../../shared/media/output-formats.ts';
import { watermarkPositions } from '../../shared/media/watermark.ts';
import { maxTrackTitleLength } from '../../shared/protocol/text-tracks.ts';
import { deliveredExtras } from '../common/delivered-extras.ts';
import { choice, even, integer, isStorable, listOf, numberChoice, seconds, strict, text } from './query-fields.ts';
import { templateLimits as limits } from './template-limits.ts';

/** The structure of template.query: keys, types, bounds and defaults. Rules between keys are in query-rules.ts. */

const name = text(
  /^[a-z0-9][a-z0-9_-]{0,31}$/,
  'Give a name of 1 to 32 lower-case letters, digits, dashes or underscores that starts with a letter or digit.',
);
const bitrate = text(
  /^[1-9][0-9]{0,8}(\.[0-9]{1,3})?[kKmM]?$/,
  'Give a bitrate such as "2500k", "5M" or, in bit/s, "800000".',
);
const framesPerSecondError = `Give a frame rate above 0 and up to ${limits.maxFramesPerSecond}.`;
const framesPerSecond = z
  .number({ error: framesPerSecondError })
  .gt(0, { error: framesPerSecondError, abort: true })
  .refine(isStorable, { error: framesPerSecondError })
  .max(limits.maxFramesPerSecond, { error: framesPerSecondError });
const flag = z.boolean({ error: 'Give true or false.' });
const profile = choice(profiles);
const language = text(/^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*|und)$/, 'Give a language tag such as "en", "pt-BR" or "und".');
const unique = <Item extends string>(items: Item[]): boolean => new Set(items).size === items.length;
const uniqueError = { error: 'Name each entry once.' };

const videoCodec = choice(videoCodecs);
const audioCodec = choice(audioCodecs);

const opacityError = 'Give an opacity from 0.01 to 1.';
const loudnessError = 'Give a loudness from -36 to -5 LUFS, or null.';

/** Encoder settings besides codec and bitrate, the same in templates and in the input_params of a single stream. */
export const videoFields = {
  width: even(64, limits.maxWidth),
  height: even(64, limits.maxHeight),
  max_bitrate: bitrate,
  buffer_size: bitrate,
  crf: integer(0, 63),
  fps: framesPerSecond,
  profile,
  level: text(/^[1-6](\.[0-3])?$/, 'Give a level such as "4.1", or leave it out to have it chosen.'),
  pixel_format: choice(['yuv420p', 'yuv420p10le']),
  two_pass: flag,
  preset: choice(encoderPresets),
  gop: seconds(0.5, 10),
};

export const audioFields = {
  channels: numberChoice([1, 2, 6, 8]),
  sample_rate: numberChoice([44100, 48000]),
  language,
  loudness: z
    .number({ error: loudnessError })
    .min(-36, { error: loudnessError })
    .max(-5, { error: loudnessError })
    .nullable(),
};

export const streamFields = { codec: choice([...videoCodecs, ...audioCodecs]), bitrate };

export const videoEntrySchema = strict({
  name,
  codec: videoCodec,
  width: videoFields.width.optional(),
  height: videoFields.height.optional(),
  bitrate: bitrate.optional(),
  max_bitrate: bitrate.optional(),
  buffer_size: videoFields.buffer_size.optional(),
  crf: videoFields.crf.optional(),
  fps: framesPerSecond.optional(),
  profile: profile.optional(),
  level: videoFields.level.optional(),
  preset: videoFields.preset.default(defaults.encoderPreset),
  gop: videoFields.gop.default(defaults.gopSeconds),
  pixel_format: videoFields.pixel_format.default(defaults.pixelFormat),
  two_pass: videoFields.two_pass.default(false),
});

export const audioEntrySchema = strict({
  name,
  codec: audioCodec,
  bitrate: bitrate.default(defaults.audio.bitrate),
  channels: audioFields.channels.default(defaults.audio.channels),
  sample_rate: audioFields.sample_rate.default(defaults.audio.sampleRateHz),
  languages: z
    .union([z.enum(['default', 'all']), z.array(language).min(1).max(16).refine(unique)], {
      error: 'Give "default", "all" or a list of 1 to 16 different language tags such as ["en", "pt-BR"].',
    })
    .default('default'),
  loudness: audioFields.loudness.default(null),
});

const streamNames = z
  .union([z.literal('*'), z.array(name).max(64).refine(unique, uniqueError)], {
    error: 'Give "*" for all streams, or a list of different stream names.',
  })
  .default('*');

const output = strict({
  name: name.optional(),
  format: choice(outputFormats),
  container: choice(['ts', 'fmp4']).optional(),
  segment_duration: integer(1, 20)
    .optional()
    .meta({ description: `For hls and dash. Default ${defaults.segmentSeconds}.` }),
  video: streamNames,
  audio: streamNames,
  faststart: flag.optional().meta({ description: 'For mp4. Default true.' }),
});

const ladderMaxHeights = [240, 360, 480, 540, 720, 1080, 1440, 2160] as const;
const ladderMinHeights = [144, 240, 360, 480, 540, 720] as const;

const ladder = strict({
  codec: videoCodec,
  mode: choice(['bitrate', 'quality']).optional().meta({
    description:
      'bitrate: each rung has the bitrate of the table. quality: each rung has a constant quality with that bitrate as its maximum, and rungs that bring no gain for the source are left out. Default bitrate.',
  }),
  max_height: numberChoice(ladderMaxHeights).default(defaults.ladder.maxHeight),
  min_height: numberChoice(ladderMinHeights).default(defaults.ladder.minHeight),
  max_renditions: integer(1, 8).default(defaults.ladder.maxRenditions),
  max_bitrate: bitrate.optional(),
  fps: framesPerSecond.optional(),
  gop: videoFields.gop.default(defaults.gopSeconds),
  preset: videoFields.preset.default(defaults.encoderPreset),
  profile: profile.optional(),
});

const scaling = strict({
  fit: choice(['contain', 'pad', 'crop']).default(defaults.fit),
  upscale: z
    .literal(false, { error: 'Leave upscale out: a rendition is never larger than its source.' })
    .default(false),
  background: text(/^#[0-9a-fA-F]{6}$/, 'Give a colour such as "#1a2b3c".')
    .optional()
    .meta({
      description: 'The colour behind transparent pictures and of the bars of `fit: pad`. Default #000000.',
    }),
});

const cropError = 'Give a share of the picture such as "12.5%", or a whole number of pixels from 0 to 8192.';
const cropSide = z
  .union([z.string().regex(/^[0-9]{1,2}(\.[0-9]{1,3})?%$/), z.int().min(0).max(limits.maxWidth)], { error: cropError })
  .default(0);

export const pictureSchema = strict({
  rotate: numberChoice([0, 90, 180, 270]).default(0).meta({ description: 'Degrees, clockwise.' }),
  flip: choice(['horizontal', 'vertical']).optional().meta({
    description: 'horizontal: left and right are exchanged. vertical: top and bottom are exchanged.',
  }),
  crop: strict({ top: cropSide, right: cropSide, bottom: cropSide, left: cropSide })
    .optional()
    .meta({ description: 'What is cut off each side: a share such as "10%", or pixels of the picture as displayed.' }),
  deinterlace: choice(['auto', 'off', 'double']).default('auto').meta({
    description:
      'Of interlaced sources. auto: one frame of two fields. double: a frame of each field, 50 or 59.94 per second. off: both fields stay in one frame.',
  }),
}).meta({ description: 'Changes of the picture as displayed: it is cropped, then rotated, then flipped.' });

const imageFormat = choice(['jpg', 'webp']).default(defaults.thumbnailFormat);

export const posterSchema = strict({
  at: text(/^([0-9]{1,2}|100)%$|^[0-9]+(\.[0-9]+)?s$/, 'Give a position such as "10%" or "12.5s".').default(
    defaults.poster.at,
  ),
  width: integer(64, 3840).default(defaults.poster.width),
  format: imageFormat,
});

const thumbnails = strict({
  poster: posterSchema.optional(),
  sprite: strict({
    interval: integer(1, 120).default(defaults.sprite.intervalSeconds),
    width: integer(64, 640).default(defaults.sprite.tileWidth),
    columns: integer(1, 20).default(defaults.sprite.columns),
    rows: integer(1, 20).default(defaults.sprite.rows),
    format: imageFormat,
  }).optional(),
  images: strict({
    count: integer(1, 20).optional(),
    interval: seconds(1, 3600).optional(),
    width: integer(64, 3840).default(defaults.images.width),
    format: imageFormat,
  })
    .optional()
    .meta({
      description: `Single images: \`count\` of them, evenly spread, or one every \`interval\` seconds, at most ${limits.maxImages}.`,
    }),
  preview: strict({
    seconds: integer(3, 10).default(defaults.preview.seconds),
    width: integer(64, 640).default(defaults.preview.width),
    format: choice(['webp', 'mp4']).default(defaults.preview.format),
  })
    .optional()
    .meta({ description: 'A short animation without sound, of parts of a second from several times of the video.' }),
});

const languagesError = 'Give a list of 1 to 16 different language tags such as ["de", "pt-BR"].';

export const captionsSchema = strict({
  generate: choice(['off', 'missing', 'always']).default('off').meta({
    description:
      'Captions from the speech of a completed video, one for each language of its audio tracks; of a track without one, the language is detected. missing: of languages without captions or subtitles. always: also in place of captions that are not uploaded.',
  }),
  generate_languages: z
    .array(language, { error: languagesError })
    .min(1, { error: languagesError })
    .max(16, { error: languagesError })
    .refine(unique, { error: languagesError })
    .optional()
    .meta({ description: 'Spoken languages of which captions are made; `de` also means de-AT. Default: all.' }),
  embedded: z
    .union([z.enum(['all', 'none']), z.array(language).min(1).max(16).refine(unique)], {
      error: 'Give "all", "none" or a list of 1 to 16 different language tags such as ["de", "pt-BR"].',
    })
    .default('all')
    .meta({ description: 'The text tracks of the source that become captions.' }),
});

const trackNumberError = 'Give the number of a track: its index in the meta of the original stream.';
const trackNumber = z.int({ error: trackNumberError }).min(0, { error: trackNumberError }).max(0xffff, {
  error: trackNumberError,
});
const trackNameError = `Give a name of 1 to ${maxTrackTitleLength} characters.`;

/** Joined tracks: their number by what they become. One track is mixed down instead. */
export const joinedTracks = { stereo: 2, mono: 2, '5.1': 6 } as const;

export const tracksSchema = strict({
  video: z
    .union([trackNumber, z.literal('auto')], { error: 'Give "auto" or the number of a video track.' })
    .default('auto'),
  audio: z
    .union(
      [
        z.literal('auto'),
        listOf(
          strict({
            from: listOf(trackNumber, 1, 6),
            as: choice(['stereo', 'mono', '5.1']),
            language: language.optional(),
            name: z
              .string({ error: trackNameError })
              .min(1, { error: trackNameError })
              .max(maxTrackTitleLength, { error: trackNameError })
              .optional(),
          }),
          1,
          limits.maxAudioStreams,
        ),
      ],
      { error: 'Give "auto", or a list of tracks such as { "from": [1, 2], "as": "stereo" }.' },
    )
    .default('auto')
    .meta({
      description:
        'The sound of the video, the main one first. `from` one track, which is mixed down to `as` where it has more channels, or from the tracks of its channels in the order left, right, center, low frequencies, surround left, surround right.',
    }),
}).meta({
  description:
    'Which tracks of the file are used, by their numbers in the file, which start with 0. auto: the video track that viewers are meant to see, and all audio tracks.',
});

export const retentionSchema = strict({
  source: z
    .union([z.enum(['keep', 'delete']), strict({ days: integer(1, limits.maxRetentionDays) })], {
      error: `Give "keep", "delete" or days such as { "days": 30 }, at most ${limits.maxRetentionDays}.`,
    })
    .default('keep')
    .meta({
      description:
        'When the uploaded file is deleted after the video is completed. Without it, streams cannot be added, and the video cannot be processed again.',
    }),
  video_days: integer(1, limits.maxRetentionDays).optional().meta({
    description:
      'Days after the first completion at which the video expires, unless its owner has given it an expiry before.',
  }),
});

/** Folders below the prefix of the storage: that of the video, and in it one for each output where there is one. */
const pathPart = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}';
const deliveryPath = text(
  new RegExp(`^(${pathPart}/){0,8}\\{ulid\\}/(${pathPart}/){0,8}(\\{output\\}/(${pathPart}/){0,8})?$`),
  'Give folders such as "films/{ulid}/{output}/": {ulid} once, then {output} at most once, each as a folder of its own, and names of letters, digits, dots, dashes and underscores.',
).max(512, { error: 'Give a path of at most 512 characters.' });

/** What is copied to a storage. */
export const deliveryFields = {
  path: deliveryPath.default('{ulid}/{output}/').meta({
    description:
      'Below the prefix of the storage. With {output}, each output has a complete copy of its files; without it, outputs share files, and the manifests of each are in a folder of its name.',
  }),
  outputs: z
    .union([z.literal('*'), z.array(name).max(limits.maxOutputs).refine(unique, uniqueError)], {
      error: 'Give "*" for all outputs, or a list of different output names.',
    })
    .default('*'),
  also: z.array(choice(deliveredExtras)).max(deliveredExtras.length).refine(unique, uniqueError).default([]).meta({
    description:
      'poster: with the other thumbnails. captions: WebVTT files. original: the uploaded file. metadata: the video as the API shows it.',
  }),
};

export const deliverySchema = strict({
  storage: text(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, 'Give the ULID of one of your storages.'),
  ...deliveryFields,
});

export const deliverSchema = listOf(deliverySchema, 0, limits.maxDeliveries);

/** @param least in hundredths */
const share = (least: number, most: number, example: string) =>
  text(/^(0|[1-9][0-9]?|100)(\.[0-9]{1,2})?%$/, `Give a percentage such as "${example}".`).refine(
    (value) => Number.parseFloat(value) >= least && Number.parseFloat(value) <= most,
    { error: `Give ${least}% to ${most}%.` },
  );

const watermark = strict({
  image: text(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, 'Give the ULID of one of your images.'),
  position: choice(watermarkPositions).default(defaults.watermark.position),
  width: share(1, 100, '10%')
    .default(defaults.watermark.width)
    .meta({ description: 'Of the width of the picture. The image keeps its shape.' }),
  margin: share(0, 40, '2%')
    .default(defaults.watermark.margin)
    .meta({ description: 'To the sides of the picture, as a share of its width.' }),
  opacity: z
    .number({ error: opacityError })
    .min(0.01, { error: opacityError })
    .max(1, { error: opacityError })
    .default(1),
  from_seconds: seconds(0, limits.maxWatermarkSeconds).optional(),
  to_seconds: seconds(0, limits.maxWatermarkSeconds).optional(),
});

export const queryStructure = strict({
  version: z.literal(1, { error: 'Give version 1, or leave it out.' }).default(1),
  outputs: listOf(output, 1, limits.maxOutputs),
  video: listOf(videoEntrySchema, 0, limits.maxVideoStreams).default([]),
  audio: listOf(audioEntrySchema, 0, limits.maxAudioStreams).default([]),
  ladder: ladder.optional(),
  scaling: scaling.optional(),
  picture: pictureSchema.optional(),
  thumbnails: thumbnails.optional(),
  captions: captionsSchema.optional(),
  tracks: tracksSchema.optional(),
  retention: retentionSchema.optional(),
  deliver: deliverSchema.optional().meta({
    description: 'Storages of the owner to which the files of a completed video are copied.',
  }),
  watermark: watermark.optional().meta({
    description:
      'An image over the picture of every rendition, between two times or always, and over poster, sprites, images and preview. Video is encoded then, also where `copy` is `auto`.',
  }),
  chunk_duration: integer(4, 300).default(defaults.chunkSeconds),
  copy: choice(['off', 'auto']).optional().meta({
    description:
      'With auto, video of the source that already is what a stream asks for is packaged without encoding. Default off.',
  }),
});

/** A query with all defaults filled in. */
export type TemplateQuery = z.output<typeof queryStructure>;
export type VideoEntry = TemplateQuery['video'][number];
export type AudioEntry = TemplateQuery['audio'][number];
export type OutputEntry = TemplateQuery['outputs'][number];
export type LadderEntry = NonNullable<TemplateQuery['ladder']>;
export type Tracks = z.output<typeof tracksSchema>;
export type Picture = z.output<typeof pictureSchema>;
export type Delivery = z.output<typeof deliverySchema>;
