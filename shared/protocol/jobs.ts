import * as z from 'zod';
import type { AudioRendition, Chunk, FrameGrid, Rung, VideoSource } from './encode-spec.ts';
import type { jobKinds } from './job-kinds.ts';
import {
  type ClockSection,
  cpuSecondsSchema as cpuSeconds,
  maxFrames,
  maxSourceSeconds,
  maxTicks,
  probeResultSchema,
} from './probe-result.ts';
import { trackFactsSchema } from './track-facts.ts';

export type JobKind = (typeof jobKinds)[number];

export type ProbeSpec = { kind: 'probe'; sizeBytes: number };

export type EncodeVideoSpec = {
  kind: 'encode-video';
  source: VideoSource;
  grid: FrameGrid;
  rungs: Rung[];
  chunk: Chunk;
};

export type EncodeAudioSpec = {
  kind: 'encode-audio';
  rendition: AudioRendition;
  formatName: string;
  /** as of `VideoSource` */
  clockSections?: ClockSection[];
  /** source time in seconds that is 0 on the output clock */
  originSeconds: number;
  /** when the track ends on the output clock, from the packet times */
  durationSeconds: number;
};

/**
 * A copy of finished tracks into another container, without encoding. Inputs are named `<track>/<n>`, n counting from 0 (the init segment);
 * joined in that order they are one fragmented file per track.
 */
export type PackageSpec = {
  kind: 'package';
  format: 'mp4' | 'hls-ts';
  faststart: boolean;
  segmentSeconds: number;
  video: { name: string; parts: number; frameCount: number } | null;
  audio: { name: string; parts: number; language: string }[];
  durationSeconds: number;
};

export type ThumbnailsSpec = {
  kind: 'thumbnails';
  source: VideoSource;
  durationSeconds: number;
  /** `atSeconds` is source time */
  poster: { atSeconds: number; width: number; height: number; format: 'jpg' | 'webp' } | null;
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
    /** key frames are too far apart to make the tiles of them alone */
    decodesAll: boolean;
    format: 'jpg' | 'webp';
  } | null;
};

export type JobSpec = ProbeSpec | EncodeVideoSpec | EncodeAudioSpec | PackageSpec | ThumbnailsSpec;

/** Bounds that a worker puts on its child processes. */
export type JobLimits = { wallSeconds: number; stallSeconds: number; memoryBytes: number; diskBytes: number };

/**
 * What a worker is given: URLs and numbers, no rights. `inputs` are presigned GETs by role name, `outputs` presigned PUTs by file name: of the first of
 * them. The worker asks for those of the others when it comes to them.
 */
export type Lease = {
  id: string;
  kind: JobKind;
  spec: JobSpec;
  inputs: Record<string, string>;
  outputs: Record<string, string>;
  limits: JobLimits;
};

const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/);
/** More than a worker lets one process write. */
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
const encodedTrackSchema = z.object({
  name: z.string().max(64),
  codecs: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
  timescale: z
    .int()
    .positive()
    .max(2 ** 32),
  init: z.object({ file: fileName, bytes: fileBytes, sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  segments: z.array(segmentSchema).min(1).max(20_000),
  facts: trackFactsSchema.optional(),
});
/** What was found wrong with the source on the way, a sentence each for the uploader. */
const warnings = z.array(z.string().max(300)).max(5).optional();

/** What a worker sends back, by job kind. Held to these schemas before anything is believed. */
export const jobResultSchemas = {
  probe: probeResultSchema,
  'encode-video': z.object({
    tracks: z.array(encodedTrackSchema).min(1).max(16),
    frames: z.int().min(1).max(maxFrames),
    warnings,
    cpuSeconds,
  }),
  'encode-audio': z.object({ track: encodedTrackSchema, durationSeconds, warnings, cpuSeconds }),
  package: z.object({
    files: z
      .array(z.object({ file: fileName, bytes: fileBytes }))
      .min(1)
      .max(20_000),
    durationSeconds,
    /** hls-ts only: the segments of the one muxed track, in milliseconds */
    segments: z.array(segmentSchema).max(20_000),
    codecs: z.string().max(128),
    cpuSeconds,
  }),
  thumbnails: z.object({
    files: z.array(z.object({ file: fileName, bytes: fileBytes })).max(1000),
    cpuSeconds,
  }),
} as const;
export type JobResult<Kind extends JobKind = JobKind> = z.infer<(typeof jobResultSchemas)[Kind]>;

/** In ten-thousandths: nobody sees finer steps, and the table refuses numbers too near to zero. */
const progress = z
  .number()
  .min(0)
  .max(1)
  .transform((fraction) => Math.round(fraction * 10_000) / 10_000);

/** `POST /api/workers/sync`: a worker reports what it holds and is given what is next, in one round trip. */
export const syncRequestSchema = z.object({
  /** unique per worker process slot, chosen by the worker */
  worker: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  /** changes with each start of the process: a lease of an earlier epoch is lost */
  epoch: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  version: z.string().max(64),
  /** the process has just started: what its name holds from before is lost */
  hello: z.boolean().optional(),
  /** the call was sent before and not answered: a lease that the lost answer gave is to be given again */
  again: z.boolean().optional(),
  /** the worker ends after this call: what it is given now would be lost */
  leaving: z.boolean().optional(),
  running: z.object({ lease: z.string().max(64), progress }).optional(),
  done: z.object({ lease: z.string().max(64), result: z.unknown() }).optional(),
  failed: z
    .object({
      lease: z.string().max(64),
      code: z.string().regex(/^[A-Z][A-Z0-9_]{1,63}$/),
      fatal: z.boolean(),
      message: z.string().max(2000),
      /** what the attempt has cost all the same */
      cpuSeconds: cpuSeconds.optional(),
    })
    .optional(),
});
export type SyncRequest = z.infer<typeof syncRequestSchema>;

export type SyncResponse = {
  lease?: Lease;
  /** the lease whose report has been taken, or dropped because the job is no longer this worker's */
  acknowledged?: string;
  /** stop this lease: kill the process group and drop its files */
  cancel?: string;
  /** finish nothing new, then exit */
  drain?: boolean;
  nextMs: number;
};

const lease = z.string().max(64);
const uploadId = z.string().min(1).max(1024);
const partNumber = z.int().min(1).max(10_000);
/**
 * `POST /api/workers/files`: the holder of a lease asks for URLs of further inputs or outputs, from one name on in the order of the job's files, or for
 * an output in parts: open, URLs of parts, close or abort.
 */
export const fileRequestSchema = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('inputs'), lease, from: z.string().max(128) }),
  z.object({ ask: z.literal('outputs'), lease, from: fileName }),
  z.object({ ask: z.literal('open'), lease, file: fileName }),
  z.object({
    ask: z.literal('parts'),
    lease,
    file: fileName,
    uploadId,
    from: partNumber,
    count: z.int().min(1).max(50),
  }),
  z.object({
    ask: z.literal('close'),
    lease,
    file: fileName,
    uploadId,
    parts: z
      .array(z.object({ number: partNumber, etag: z.string().min(1).max(64) }))
      .min(1)
      .max(10_000),
  }),
  z.object({ ask: z.literal('abort'), lease, file: fileName, uploadId }),
]);
export type FileRequest = z.infer<typeof fileRequestSchema>;

/** `urls` by name, or by part number. */
export type FileAnswer = { urls?: Record<string, string>; uploadId?: string };
