import * as z from 'zod';
import { captionLimits } from '../captions/caption-limits.ts';
import { videoCodecs } from '../media/codecs.ts';
import type { UploadedImage } from '../media/image-header.ts';
import type { AskedTracks } from './asked-tracks.ts';
import type { AudioRole } from './audio-roles.ts';
import type { AudioRendition, Chunk, FrameGrid, Rung, SourceInput, VideoSource } from './encode-spec.ts';
import type { jobKinds } from './job-kinds.ts';
import {
  cpuSecondsSchema as cpuSeconds,
  maxFrames,
  maxObjectBytes,
  maxSourceSeconds,
  maxTicks,
  probeResultSchema,
} from './probe-result.ts';
import type { TextCodec } from './text-tracks.ts';
import { trackPropertiesSchema } from './track-properties.ts';

export type JobKind = (typeof jobKinds)[number];

/** `tracks` are those that a template names, instead of those that the probe would choose. */
export type ProbeSpec = { kind: 'probe'; sizeBytes: number; tracks?: AskedTracks };

/**
 * `reportsSegments`: the video may play while it is encoded, so the worker reports stored segments as soon as they are
 * stored.
 */
type Reporting = { reportsSegments?: boolean };

export type EncodeVideoSpec = Reporting & {
  kind: 'encode-video';
  source: VideoSource;
  grid: FrameGrid;
  rungs: Rung[];
  chunk: Chunk;
};

/**
 * Short parts of the source that are encoded at constant qualities, so that the bitrate and the quality of the rungs
 * are known before most of the video is encoded. `trials` are some of the rungs.
 */
export type QualitySpec = {
  kind: 'quality';
  source: VideoSource;
  grid: FrameGrid;
  samples: Chunk[];
  trials: QualityTrial[];
};

/**
 * A rung that is encoded with two qualities. With the first, it has more or less than the quality that it shall have,
 * or it needs more than its maximum bitrate: the second is on the side of the quality to be found.
 */
export type QualityTrial = {
  rung: Rung;
  firstCrf: number;
  finerCrf: number;
  coarserCrf: number;
  targetXpsnrDb: number;
  capBps: number;
};

export type EncodeAudioSpec = Reporting &
  SourceInput & {
    kind: 'encode-audio';
    rendition: AudioRendition;
    /** source time in seconds that is 0 on the output clock */
    originSeconds: number;
    /** end of all tracks on the output clock */
    durationSeconds: number;
  };

/**
 * A copy of finished tracks into another container, without encoding. Inputs are named `<track>/<n>`, where 0 is the
 * init segment. Concatenated in that order they are one fragmented file per track.
 */
export type PackageSpec = {
  kind: 'package';
  format: 'mp4' | 'hls-ts';
  faststart: boolean;
  segmentSeconds: number;
  video: { name: string; parts: number; frameCount: number } | null;
  audio: { name: string; parts: number; language: string; roles?: readonly AudioRole[] | undefined }[];
  durationSeconds: number;
};

/** `atSeconds` is source time. A poster that the owner has chosen has a revision, so that its name is new. */
export type PosterSpec = {
  atSeconds: number;
  width: number;
  height: number;
  format: 'jpg' | 'webp';
  revision?: number;
};

/** Limits of uploaded images. A larger one is not decoded, whatever its header said before. */
export const maxImageBytes = 5 * 2 ** 20;
export const posterSides = { min: 64, max: 8192 } as const;
export const watermarkSides = { min: 16, max: 4096 } as const;

/** The poster is made of the image in the input `image`, and not of the source. */
export type UploadedPosterSpec = {
  kind: 'thumbnails';
  image: UploadedImage;
  /** what transparent pixels show, 0xrrggbb */
  backgroundRgb: number;
  poster: Pick<PosterSpec, 'width' | 'height' | 'format' | 'revision'>;
};

export const posterFile = ({ format, revision }: Pick<PosterSpec, 'format' | 'revision'>): string =>
  `poster${revision === undefined ? '' : `-${revision}`}.${format}`;

export type ThumbnailsSpec = {
  kind: 'thumbnails';
  source: VideoSource;
  durationSeconds: number;
  poster: PosterSpec | null;
  sprite: {
    intervalSeconds: number;
    /** source time of the first tile */
    startSeconds: number;
    tileWidth: number;
    tileHeight: number;
    columns: number;
    rows: number;
    sheets: number;
    tiles: number;
    /** decode every frame, because key frames are too far apart for the tiles */
    decodesAll: boolean;
    format: 'jpg' | 'webp';
  } | null;
  /** absent in plans of earlier versions */
  images?: ImagesSpec | null;
  preview?: PreviewSpec | null;
};

/** Single images of frames at even distances. */
export type ImagesSpec = {
  /** source times */
  atSeconds: number[];
  /** on the clock of the outputs: the time of the first image, and from each to the next */
  firstSeconds: number;
  stepSeconds: number;
  width: number;
  height: number;
  format: 'jpg' | 'webp';
};

export const imageFile = (index: number, format: ImagesSpec['format']): string =>
  `image-${String(index + 1).padStart(3, '0')}.${format}`;

/** An animation of parts of the video, without sound. Its quality is reduced until it has at most `maxBytes`. */
export type PreviewSpec = {
  /** source times of the starts of its parts */
  startSeconds: number[];
  partSeconds: number;
  framesPerSecond: number;
  width: number;
  height: number;
  format: 'webp' | 'mp4';
  maxBytes: number;
};

export const previewFile = ({ format }: Pick<PreviewSpec, 'format'>): string => `preview.${format}`;

/** Text tracks and chapters that become WebVTT files on the output clock, one file each. */
export type TextSpec = SourceInput & {
  kind: 'text';
  /** source time in seconds that is 0 on the output clock */
  originSeconds: number;
  durationSeconds: number;
  tracks: { file: string; streamIndex: number; codec: TextCodec }[];
  chapters: { file: string } | null;
};

/**
 * What identifies the bytes at a URL; when one of them changes, it is another file. `validator` is a strong ETag or a
 * Last-Modified date, as the header If-Range has it.
 */
export type SourceProperties = { sizeBytes: number | null; validator: string | null };

/**
 * A file that the worker fetches from a URL and stores in parts. The outputs of the lease are the presigned URLs of the
 * parts by their numbers.
 */
export type IngestSpec = {
  kind: 'ingest';
  url: string;
  /** of all parts but the last; more when the file would have more than 10,000 parts */
  partBytes: number;
  maxBytes: number;
  /** as an earlier attempt has found it, with the parts that are stored since */
  source: SourceProperties | null;
  storedParts: StoredPart[];
  /** the URL may be one of this machine */
  allowLoopback: boolean;
  /** of an object in a storage: its URL is asked for again before it ends, and no redirect is followed */
  storage?: { name: string; urlSeconds: number };
};
export type StoredPart = { number: number; bytes: number; etag: string };

/**
 * A part of the speech of a finished audio track. The inputs are named `audio/<n>`, where 0 is the init segment, and
 * are joined in that order. Times are on the output clock.
 */
export type TranscribeSpec = {
  kind: 'transcribe';
  parts: number;
  fromSeconds: number;
  toSeconds: number;
  /** as Whisper names it; null where it is to be detected */
  language: string | null;
  /** of the input `model`, which the worker keeps for further jobs; absent where workers have a file of their own */
  modelSha256?: string | undefined;
};

/**
 * A copy of files to the store of a user. The worker asks for the files page by page, in their order, with presigned
 * URLs of both stores.
 */
export type DeliverSpec = {
  kind: 'deliver';
  fileCount: number;
  totalBytes: number;
  /** what earlier attempts have copied: all files before this position */
  copiedFiles: number;
  copiedBytes: number;
  /** the storage may be one of this machine */
  allowLoopback: boolean;
};

/** Where a PUT request goes. The headers are signed. */
export type SignedTarget = { url: string; headers: Record<string, string> };

/**
 * A file to copy. The files of a stage are copied after those of all earlier ones. Without a `target` it is copied in
 * parts of `partBytes`.
 */
export type FileToCopy = {
  position: number;
  bytes: number;
  stage: number;
  source: string;
} & ({ target: SignedTarget; partBytes?: undefined } | { target?: undefined; partBytes: number });

export type JobSpec =
  | ProbeSpec
  | QualitySpec
  | EncodeVideoSpec
  | EncodeAudioSpec
  | PackageSpec
  | ThumbnailsSpec
  | UploadedPosterSpec
  | TextSpec
  | IngestSpec
  | DeliverSpec
  | TranscribeSpec;

/** Limits for the child processes of a worker. */
export type JobLimits = { wallSeconds: number; stallSeconds: number; memoryBytes: number; diskBytes: number };

/**
 * A job for a worker: URLs and numbers, no credentials. `inputs` are presigned GETs by role name, `outputs` presigned
 * PUTs by file name. A lease has the first of them; the worker requests the others when it needs them.
 */
export type Lease = {
  id: string;
  kind: JobKind;
  spec: JobSpec;
  inputs: Record<string, string>;
  outputs: Record<string, string>;
  limits: JobLimits;
  /** a viewer may be waiting for the job: other jobs give it the processor when they share a machine */
  urgent?: boolean;
  /** the store is in the worker's network: reading a little more costs less than another request */
  nearStore?: boolean;
};

const partNumber = z.int().min(1).max(10_000);
const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/);
/** Above the limit of what one process of a worker can write. */
const fileBytes = z
  .int()
  .positive()
  .max(2 ** 36);
const durationSeconds = z.number().min(0.000_000_001).max(maxSourceSeconds);
const segmentSchema = z.object({
  file: fileName,
  bytes: fileBytes,
  startTicks: z.int().min(0).max(maxTicks),
  durationTicks: z.int().min(1).max(maxTicks),
  keyFrameBytes: fileBytes.optional(),
});
const trackName = z.string().max(64);
const trackCodecs = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/);
const maxTracks = 16;
const maxSegments = 20_000;
const encodedTrackSchema = z.object({
  name: trackName,
  codecs: trackCodecs,
  timescale: z
    .int()
    .positive()
    .max(2 ** 32),
  init: z.object({ file: fileName, bytes: fileBytes, sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  segments: z.array(segmentSchema).min(1).max(maxSegments),
  copied: z.literal(true).optional(),
  facts: trackPropertiesSchema.optional(),
});
/** That of frames without a difference. */
export const maxXpsnrDb = 100;
/** Of one delivery: more than the renditions of the longest video have. */
const maxCopiedFiles = 1_000_000;
/** Problems of the source found by the job, one sentence each for the uploader. */
const warnings = z.array(z.string().max(300)).max(5).optional();

/** A word as it is written, with its punctuation. It begins with a space where the language has one before the word. */
const wordSchema = z.object({
  text: z.string().min(1).max(200),
  startMs: z.int().min(0).max(captionLimits.maxTimeMs),
  endMs: z.int().min(0).max(captionLimits.maxTimeMs),
});
export type Word = z.infer<typeof wordSchema>;
/** Nobody speaks ten words a second for minutes. */
export const maxWordsOfPart = 10_000;

/** The results of workers by job kind. Workers are not trusted: every result is validated. */
export const jobResultSchemas = {
  probe: probeResultSchema,
  'encode-video': z.object({
    tracks: z.array(encodedTrackSchema).min(1).max(maxTracks),
    frames: z.int().min(1).max(maxFrames),
    warnings,
    cpuSeconds,
  }),
  quality: z.object({
    /**
     * An encode of a sample of the source: its XPSNR in the frame size of its rung, the bytes of its frames, and those
     * of the first one, which is a key frame.
     */
    points: z
      .array(
        z.object({
          rung: trackName,
          crf: z.int().min(0).max(63),
          sample: z.int().min(0).max(100),
          xpsnrDb: z.number().min(0).max(maxXpsnrDb),
          bytes: fileBytes,
          keyFrameBytes: fileBytes,
          frames: z.int().min(1).max(maxFrames),
        }),
      )
      .max(200),
    /** the smallest difference of CRF that the encoder makes; 1 when absent */
    crfStep: z.union([z.literal(0.25), z.literal(1)]).optional(),
    cpuSeconds,
  }),
  'encode-audio': z.object({ track: encodedTrackSchema, durationSeconds, warnings, cpuSeconds }),
  package: z.object({
    files: z
      .array(z.object({ file: fileName, bytes: fileBytes }))
      .min(1)
      .max(20_000),
    durationSeconds,
    /** hls-ts only: segments of the muxed track, in milliseconds */
    segments: z.array(segmentSchema).max(maxSegments),
    /** hls-ts only: the time stamp, in ticks of 90 kHz, that second 0 of the output clock has in the segments */
    clockStartTicks: z.int().optional(),
    codecs: z.string().max(128),
    cpuSeconds,
  }),
  thumbnails: z.object({
    files: z.array(z.object({ file: fileName, bytes: fileBytes })).max(1000),
    cpuSeconds,
  }),
  text: z.object({
    files: z.array(z.object({ file: fileName, bytes: fileBytes, cueCount: z.int().min(1).max(captionLimits.maxCues) })),
    /** tracks without a file, with one sentence each for the uploader */
    failures: z.array(z.object({ file: fileName, error: z.string().max(300) })),
    cpuSeconds,
  }),
  ingest: z.object({
    sizeBytes: z.int().positive().max(maxObjectBytes),
    parts: z
      .array(z.object({ number: partNumber, etag: z.string().min(1).max(64) }))
      .min(1)
      .max(10_000),
    cpuSeconds,
  }),
  transcribe: z.object({
    /** as Whisper names it; null where nobody speaks */
    language: z
      .string()
      .regex(/^[a-z]{2,3}$/)
      .nullable(),
    words: z.array(wordSchema).max(maxWordsOfPart),
    cpuSeconds,
  }),
  deliver: z.object({ files: z.int().min(1).max(maxCopiedFiles), bytes: z.int().min(0), cpuSeconds }),
} as const;
export type JobResult<Kind extends JobKind = JobKind> = z.infer<(typeof jobResultSchemas)[Kind]>;

/** Rounded to ten-thousandths: the table refuses numbers that are too close to zero. */
const progress = z
  .number()
  .min(0)
  .max(1)
  .transform((fraction) => Math.round(fraction * 10_000) / 10_000);

/**
 * What a running encode job has stored: the first `segments` segments of the job in every track, and the init segments.
 * `run` says which run of the encoder wrote them, and so the names of their files (`track-files.ts`). The second run
 * counts from the start of the job again. `codecs` has the RFC 6381 string of each track.
 */
const storedSegmentsSchema = z.strictObject({
  segments: z.int().min(1).max(maxSegments),
  run: z.union([z.literal(1), z.literal(2)]),
  codecs: z.record(trackName, trackCodecs).refine((codecs) => Object.keys(codecs).length <= maxTracks),
});
export type StoredSegments = z.infer<typeof storedSegmentsSchema>;

/** The version of the encoder of each codec that the ffmpeg of a worker has, such as `libsvtav1 2.3.0`. */
const encodersSchema = z.partialRecord(z.enum(videoCodecs), z.string().regex(/^[\w .+-]{1,64}$/));
export type Encoders = z.infer<typeof encodersSchema>;

/** `POST /api/workers/sync`: a worker reports on its lease and gets the next one in one round trip. */
export const syncRequestSchema = z.object({
  /** unique name of the worker process slot, chosen by the worker */
  worker: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  /** changes with each start of the process; leases of an earlier epoch are lost */
  epoch: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  version: z.string().max(64),
  /** absent while the worker does not know them */
  encoders: encodersSchema.optional(),
  /** the process has just started, so leases under its name are lost */
  hello: z.boolean().optional(),
  /** a repeat of a call that got no response: a lease in the lost response is sent again */
  again: z.boolean().optional(),
  /** the caller takes ingests and deliveries, and no other jobs */
  fetches: z.boolean().optional(),
  /** the caller transcribes speech, and takes no other jobs */
  transcribes: z.boolean().optional(),
  /** the worker stops after this call and must not get a lease */
  leaving: z.boolean().optional(),
  /** `stored` is repeated in each call, so that a lost call loses nothing */
  running: z.object({ lease: z.string().max(64), progress, stored: storedSegmentsSchema.optional() }).optional(),
  done: z.object({ lease: z.string().max(64), result: z.unknown() }).optional(),
  failed: z
    .object({
      lease: z.string().max(64),
      code: z.string().regex(/^[A-Z][A-Z0-9_]{1,63}$/),
      fatal: z.boolean(),
      message: z.string().max(2000),
      /** CPU time of the failed attempt */
      cpuSeconds: cpuSeconds.optional(),
    })
    .optional(),
});
export type SyncRequest = z.infer<typeof syncRequestSchema>;

export type SyncResponse = {
  lease?: Lease;
  /** the lease whose report was processed, or discarded because the worker no longer has the job */
  acknowledged?: string;
  /** abort this lease: kill the process group and delete its files */
  cancel?: string;
  /** start nothing new, then exit */
  drain?: boolean;
  nextMs: number;
};

const lease = z.string().max(64);
/** How many files a worker copies are in a response. */
export const maxFilesToCopy = 50;
const copied = { copiedFiles: z.int().min(0).max(maxCopiedFiles), copiedBytes: z.int().min(0) };
const s3UploadId = z.string().min(1).max(1024);
/**
 * `POST /api/workers/files`: the holder of a lease requests more URLs of inputs or outputs, starting at a name in the
 * order of the job's files, or uploads an output in parts: open, URLs of parts, close, abort. An ingest reports what it
 * has found at its URL. A delivery requests the files to copy, says what is copied, and has a file compared by its size
 * where the store has no checksum for it.
 */
export const fileRequestSchema = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('inputs'), lease, from: z.string().max(128) }),
  z.object({ ask: z.literal('outputs'), lease, from: fileName }),
  z.object({ ask: z.literal('open'), lease, file: fileName }),
  z.object({
    ask: z.literal('parts'),
    lease,
    file: fileName,
    s3UploadId,
    from: partNumber,
    count: z.int().min(1).max(50),
  }),
  z.object({
    ask: z.literal('close'),
    lease,
    file: fileName,
    s3UploadId,
    parts: z
      .array(z.object({ number: partNumber, etag: z.string().min(1).max(128) }))
      .min(1)
      .max(10_000),
  }),
  z.object({ ask: z.literal('source-url'), lease }),
  z.object({ ask: z.literal('abort'), lease, file: fileName, s3UploadId }),
  z.object({
    ask: z.literal('source'),
    lease,
    sizeBytes: z.int().positive().nullable(),
    validator: z.string().min(1).max(1024).nullable(),
  }),
  z.object({
    ask: z.literal('copies'),
    lease,
    position: z.int().min(0).max(maxCopiedFiles),
    count: z.int().min(1).max(maxFilesToCopy),
    ...copied,
  }),
  z.object({ ask: z.literal('copied'), lease, ...copied }),
  z.object({ ask: z.literal('compare'), lease, file: fileName }),
]);
export type FileRequest = z.infer<typeof fileRequestSchema>;

/**
 * `urls` by name, or by part number; `quotaExceeded` says why the file at the URL of an ingest may not be fetched. Of a
 * delivery: `files` to copy, the parts of an earlier attempt that an open multipart upload has, and whether a compared
 * file has its size. `failure`: what the store of the user has answered to the service.
 */
export type FileResponse = {
  urls?: Record<string, string>;
  s3UploadId?: string;
  quotaExceeded?: string;
  files?: FileToCopy[];
  storedParts?: StoredPart[];
  isSame?: boolean;
  failure?: { code: 'STORAGE_REFUSED' | 'STORAGE_FAILED' | 'STORAGE_MISMATCH'; message: string; fatal: boolean };
};
