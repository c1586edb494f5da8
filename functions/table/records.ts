import * as z from 'zod';
import { captionKinds } from '../../shared/captions/cue.ts';
import { containers, videoCodecs } from '../../shared/media/codecs.ts';
import { imageTypes } from '../../shared/media/image-header.ts';
import { outputFormats } from '../../shared/media/output-formats.ts';
import { askedTracksSchema } from '../../shared/protocol/asked-tracks.ts';
import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import type { JobKind } from '../../shared/protocol/jobs.ts';
import { deliveredExtras } from '../common/delivered-extras.ts';
import { sourceOptions } from '../contracts/fields/source-options.ts';
import {
  captionStatuses,
  deletionReasons,
  ingestStatuses,
  jobStatuses,
  outputStatuses,
  playbackModes,
  storageDeliveryStatuses,
  streamStatuses,
  videoStatuses,
} from '../contracts/statuses.ts';

/**
 * Schemas of the stored records. Every item that is read is parsed by one of them, so that an invalid item is found at
 * the read.
 */

const ulid = z.string().length(26);

/** Limits of what a user may use in a UTC month; null means no limit. */
export const quotaRecord = z.object({
  uploadBytesPerMonth: z.int().nullable(),
  encodingCpuSecondsPerMonth: z.int().nullable(),
});
export type Quota = z.infer<typeof quotaRecord>;

export const userRecord = z.object({
  ulid,
  id: z.int(),
  name: z.string(),
  email: z.string(),
  passwordHash: z.string(),
  /** raised to end all sessions of the user */
  sessionGeneration: z.int().default(0),
  isAdmin: z.boolean(),
  quota: quotaRecord.nullable().default(null),
  createdAt: z.string(),
});
export type User = z.infer<typeof userRecord>;

/** An image for watermarks. `width` and `height` are those of the stored pixels. */
export const imageRecord = z.object({
  ulid,
  ownerUlid: ulid,
  name: z.string(),
  type: z.enum(imageTypes),
  width: z.int(),
  height: z.int(),
  /** of EXIF, see `ImageHeader` */
  orientation: z.int(),
  bytes: z.int(),
  /** how many templates use it */
  templates: z.int(),
  createdAt: z.string(),
});
export type ImageRecord = z.infer<typeof imageRecord>;

export const templateRecord = z.object({
  ulid,
  id: z.int(),
  ownerUlid: ulid,
  name: z.string(),
  /** the user's query as it was sent and validated */
  query: z.record(z.string(), z.unknown()),
  /** the storages that it delivers to, separated by commas; absent without any */
  storageUlids: z.string().optional(),
  /** every user may read and use it, and only administrators change it */
  shared: z.boolean(),
  createdAt: z.string(),
});
export type Template = z.infer<typeof templateRecord>;

/** What the owner describes a video with. Absent where there is none, so that each state is stored in one form. */
const description = {
  metadata: z.record(z.string(), z.string()).optional(),
  tags: z.array(z.string()).optional(),
};

/** How the source is read; absent where all of it is read as it is. */
const sourceReading = { sourceOptions: sourceOptions.optional() };

/** One upload, whose ULID becomes the video's. `store` is how its bytes come: parts, or one form post. */
export const uploadRecord = z.object({
  ulid,
  ownerUlid: ulid,
  key: z.string(),
  store: z.enum(['multipart', 'post']),
  /** a worker fetches its file from a URL (see `ingestRecord`); absent when a client sends it */
  origin: z.literal('ingest').optional(),
  /** the storage from which it is fetched; counted among the uses of the storage until the upload ends */
  storageUlid: ulid.optional(),
  /** the batch that has created it */
  batchUlid: ulid.optional(),
  /** the store's id of the multipart upload, empty for a form post */
  s3UploadId: z.string(),
  status: z.enum(['open', 'completing', 'stored', 'aborted']),
  /** the object below the watch prefix whose copy is its file, as it was when it was found */
  watched: z.object({ key: z.string(), etag: z.string() }).optional(),
  fileName: z.string(),
  contentType: z.string(),
  /** as the client declared it */
  sizeBytes: z.int().optional(),
  /** the size of its parts but the last, once one is signed for a length; two until another part decides */
  partSizes: z.array(z.int()).optional(),
  templateUlid: ulid,
  /** the video that gets the file as its source; absent when the upload becomes a video */
  replaces: ulid.optional(),
  /** the video of whose source it is a clip */
  sourceVideoUlid: ulid.optional(),
  externalUserId: z.string().nullable(),
  externalResourceId: z.string().nullable(),
  ...description,
  ...sourceReading,
  /** of a direct upload: the largest size that its token permits, and when the token expires */
  maxBytes: z.int().optional(),
  tokenExpiresAt: z.string().optional(),
  createdAt: z.string(),
});
export type Upload = z.infer<typeof uploadRecord>;

/** An ingest: the source of an upload whose file a worker fetches, from a URL or a storage. Both have the same ULID. */
export const ingestRecord = z.object({
  ulid,
  ownerUlid: ulid,
  status: z.enum(ingestStatuses),
  /** with user name, password and query; removed when the ingest ends */
  url: z.string().optional(),
  /** instead of the URL: the object in a storage, whose URLs are signed for each lease */
  storageUlid: ulid.optional(),
  storageKey: z.string().optional(),
  /** the URL without user name, password and query */
  shownUrl: z.string(),
  fileName: z.string(),
  /** what the quota allowed when the job was queued, at most the size limit of an upload */
  maxBytes: z.int(),
  /** what the first attempt has found at the URL; a later attempt that finds something else fails */
  source: z.object({ sizeBytes: z.int().nullable(), validator: z.string().nullable() }).nullable(),
  externalUserId: z.string().nullable(),
  externalResourceId: z.string().nullable(),
  error: z.string().nullable(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
});
export type Ingest = z.infer<typeof ingestRecord>;

/** Where the file of an ingest is. `shownUrl` is the address of an object without a signature. */
export type IngestSource = { url: string } | { storageUlid: string; key: string; shownUrl: string };

/** A batch goes from one key to a later one, of which an ingest is created. `skipped`: keys in between. */
export type BatchStep = { ulid: string; before: string; position: string; skipped: number };

/** A storage delivery: a copy of a video's files to a storage of its owner. */
export const storageDeliveryRecord = z.object({
  ulid,
  videoUlid: ulid,
  ownerUlid: ulid,
  storageUlid: ulid,
  externalUserId: z.string().nullable(),
  /** what is copied, as the template or the request says it */
  target: z.object({
    path: z.string(),
    outputs: z.union([z.literal('*'), z.array(z.string())]),
    also: z.array(z.enum(deliveredExtras)),
  }),
  status: z.enum(storageDeliveryStatuses),
  /** the plan of the listed files; null before they are listed */
  planNumber: z.int().nullable(),
  /** the name of their list */
  listing: z.string().nullable().default(null),
  fileCount: z.int().nullable(),
  totalBytes: z.int().nullable(),
  /** the storage has all files before this position */
  copiedFiles: z.int(),
  copiedBytes: z.int(),
  /** the last attempt that has copied a file */
  progressAttempt: z.int(),
  /** multipart uploads at the storage that are not completed, by `p` and the position of their file */
  multiparts: z.record(z.string(), z.string()),
  error: z.string().nullable(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
});
export type StorageDelivery = z.infer<typeof storageDeliveryRecord>;

/** A direct upload: what the holder of its token may upload. The upload gets its ULID when the holder begins it. */
export const directUploadRecord = z.object({
  ulid,
  ownerUlid: ulid,
  /** of the secret part of the token */
  sha256: z.string(),
  templateUlid: ulid,
  /** null: the holder of the token chooses the name */
  fileName: z.string().nullable(),
  maxBytes: z.int().nullable(),
  /** browsers may use the token on pages of this origin only; null means no restriction */
  allowedOrigin: z.string().nullable(),
  externalUserId: z.string().nullable(),
  externalResourceId: z.string().nullable(),
  ...description,
  ...sourceReading,
  createdAt: z.string(),
  /** seconds since 1970; DynamoDB removes the item some time later */
  expiresAt: z.number(),
  /** set when the owner deletes the direct upload or its upload */
  revokedAt: z.string().optional(),
});
export type DirectUpload = z.infer<typeof directUploadRecord>;

/**
 * The source that is being replaced, with what the video was of it. A failed replacement restores it; until then, and
 * until the new outputs are complete, it is what viewers see.
 */
const replacedSource = z.object({
  sourceKey: z.string(),
  sourceBytes: z.int(),
  sourceNumber: z.int().optional(),
  ...sourceReading,
  originSeconds: z.number().optional(),
  sourceVideoUlid: ulid.optional(),
  copiedFrom: z.string().optional(),
  planNumber: z.int(),
  status: z.enum(['completed', 'failed']),
  query: z.record(z.string(), z.unknown()).nullable(),
  durationSeconds: z.number().nullable(),
  aspectRatio: z.string().nullable(),
  estimatedCpuSeconds: z.number().optional(),
  refusal: z.string().optional(),
  playableAt: z.string().optional(),
});
export type ReplacedSource = z.infer<typeof replacedSource>;

export const videoRecord = z.object({
  ulid,
  id: z.int(),
  ownerUlid: ulid,
  name: z.string(),
  status: z.enum(videoStatuses),
  durationSeconds: z.number().nullable(),
  aspectRatio: z.string().nullable(),
  thumbnailPath: z.string().nullable(),
  /** the owner has chosen the poster: processing the video again does not replace it */
  posterIsChosen: z.boolean().optional(),
  /** key of the WebVTT that says where in the sprites each time is */
  storyboardPath: z.string().nullable().default(null),
  previewPath: z.string().nullable().default(null),
  /** the images beside the poster: their times are `firstSeconds`, `firstSeconds + stepSeconds` and so on */
  thumbnailImages: z
    .object({
      count: z.int(),
      firstSeconds: z.number(),
      stepSeconds: z.number(),
      format: z.enum(['jpg', 'webp']),
    })
    .nullable()
    .default(null),
  templateUlid: ulid,
  templateId: z.int(),
  /** the template's query as it was when work began; null before */
  query: z.record(z.string(), z.unknown()).nullable(),
  sourceKey: z.string(),
  sourceBytes: z.int(),
  /**
   * 0 or absent for the file of the upload that made the video, otherwise the number of the plan that brought the
   * source. The probe and the thumbnails of a source have its number as their index
   */
  sourceNumber: z.int().optional(),
  ...sourceReading,
  /** when its second 0 is, in seconds from the first picture or sound of the source; absent before it is planned */
  originSeconds: z.number().optional(),
  /** the video of whose source it is a clip */
  sourceVideoUlid: ulid.optional(),
  /** the key of the object of which the source is to be a copy; absent when it is one */
  copiedFrom: z.string().optional(),
  /** while the plan of a new source is made */
  replaced: replacedSource.optional(),
  /** why the last new source was not used, `CODE: sentence` */
  replaceError: z.string().optional(),
  /** when the source was deleted, by the retention of the template */
  sourceDeletedAt: z.string().optional(),
  externalUserId: z.string().nullable(),
  externalResourceId: z.string().nullable(),
  ...description,
  /** raised with each change of the metadata or the tags, because a change depends on what was read */
  descriptionVersion: z.int().optional(),
  /** when the video is deleted; absent if it is kept */
  expiresAt: z.string().optional(),
  /** whether viewers need signed URLs */
  playback: z.enum(playbackModes).default('signed'),
  /** set for good when it first becomes public: the edge may know it as public until its deletion is applied */
  wasPublic: z.boolean().optional(),
  /** the number of the present plan, from 1: jobs, files and outputs belong to one */
  planNumber: z.int(),
  /** the plan after which captions from speech were asked for by the template */
  speechPlanNumber: z.int().optional(),
  /** the last number given to a plan, whether of the whole video or of a change to one stream */
  lastPlanNumber: z.int(),
  /** the plan of the stream change that is being carried out; others wait for it */
  editPlanNumber: z.int().optional(),
  /** counts the times that work on the video was begun, from 1: executions that the service starts are named by it */
  executionCount: z.int(),
  executionArn: z.string().nullable(),
  /** when the current execution claimed the video */
  startedAt: z.string().nullable(),
  /** estimated CPU seconds of all encodes of its last plan */
  estimatedCpuSeconds: z.number().optional(),
  /** why the uploaded file was not accepted, `CODE: sentence`; the file is deleted */
  refusal: z.string().optional(),
  /** the virtual time at which the video's jobs join those of its owner's other videos in the queue */
  virtualTimeSeconds: z.number().optional(),
  createdAt: z.string(),
  /** when a run of it first ended so: analytics count a video once as completed and once as failed */
  firstCompletedAt: z.string().optional(),
  firstFailedAt: z.string().optional(),
  /** since when an output plays; absent while none does */
  playableAt: z.string().optional(),
  /** set once: requests do not find the video any more, and its files are being deleted */
  deletedAt: z.string().optional(),
  deletionReason: z.enum(deletionReasons).optional(),
});
export type DeletionReason = (typeof deletionReasons)[number];
export type Video = z.infer<typeof videoRecord>;

export const streamRecord = z.object({
  ulid,
  id: z.int(),
  /** the plan it comes from */
  planNumber: z.int(),
  /** the plan's name of the track, empty for the original */
  track: z.string(),
  name: z.string(),
  type: z.enum(['original', 'video', 'audio', 'muxed']),
  width: z.int().nullable(),
  height: z.int().nullable(),
  bytes: z.int().nullable(),
  language: z.string().nullable(),
  channels: z.int().nullable(),
  meta: z.record(z.string(), z.unknown()),
  inputParams: z.record(z.string(), z.unknown()),
  errorLog: z.string().nullable(),
  status: z.enum(streamStatuses),
  createdAt: z.string(),
});
export type Stream = z.infer<typeof streamRecord>;

/** What the end of a run changes in the original stream: warnings in its `meta`, and why the run failed. */
export type OriginalChange = Pick<Stream, 'ulid'> & Partial<Pick<Stream, 'meta' | 'errorLog'>>;

export const streamsRecord = z.object({
  planNumber: z.int(),
  streams: z.record(z.string(), streamRecord),
  /** while the source is being replaced: the original as it was */
  replacedOriginal: streamRecord.optional(),
});

export const outputRecord = z.object({
  ulid,
  /** the plan it comes from: outputs of an earlier one play until their successors do */
  planNumber: z.int(),
  /** the plan that describes what plays: `planNumber`, or that of the last change to one of its streams */
  builtByPlan: z.int(),
  name: z.string(),
  format: z.enum(outputFormats),
  container: z.enum(containers),
  status: z.enum(outputStatuses),
  /** ULIDs of the streams in it */
  streams: z.array(ulid),
  /** units of work by part of the plan, as PROGRESS counts them */
  work: z.record(z.string(), z.number()),
  bytes: z.int().nullable(),
  /** key of the manifest or file that viewers open */
  entryKey: z.string().nullable(),
  errorLog: z.string().nullable(),
  createdAt: z.string(),
  /** the version of the video's captions that its manifests list; absent while they list none */
  captionsVersion: z.int().optional(),
  /** since when it plays, which may be before it is completed; absent while it does not */
  playableAt: z.string().optional(),
  completedAt: z.string().nullable(),
});
export type Output = z.infer<typeof outputRecord>;

export const outputsRecord = z.object({ planNumber: z.int(), outputs: z.record(z.string(), outputRecord) });

/** A text track of a video: one for each language and kind. */
export const captionRecord = z.object({
  ulid,
  /** BCP 47, in its canonical form */
  language: z.string(),
  kind: z.enum(captionKinds),
  label: z.string(),
  /** players show it unless the viewer chooses another */
  isDefault: z.boolean(),
  origin: z.enum(['upload', 'embedded', 'generated']),
  status: z.enum(captionStatuses),
  /** why a track of the source or its speech could not be used, one sentence */
  error: z.string().nullable(),
  cueCount: z.int(),
  /** a new ULID with each file: the files of a version are never overwritten */
  version: ulid,
  /** key of the WebVTT file; null when there is none */
  key: z.string().nullable(),
  /** of an embedded track: the file that a worker has made */
  extractedKey: z.string().optional(),
  /** of captions that are being made from speech; an earlier file stays until then */
  speech: z
    .object({
      request: ulid,
      planNumber: z.int(),
      /** the name of the audio track */
      track: z.string(),
      /** null: to be detected. Until then, the language of the caption is `und` */
      language: z.string().nullable(),
      /** captions of the spoken language are replaced, whatever their origin */
      replaces: z.boolean(),
      durationSeconds: z.number(),
      /** asked for by the template of the video: `languages` are those of which it wants captions, all if absent */
      template: z.object({ onlyMissing: z.boolean(), languages: z.array(z.string()).optional() }).optional(),
      /** why they cannot be made, one sentence */
      refusal: z.string().optional(),
    })
    .optional(),
  createdAt: z.string(),
});
export type Caption = z.infer<typeof captionRecord>;

/** The words of a video's captions by which it is listed, as they are in the lists of its owner. */
export const transcriptWordsRecord = z.object({
  /** in whose lists the video is */
  ownerUlid: ulid,
  words: z.array(z.string()),
  /** the version of the captions that have these words; null while only a part of them is listed */
  captionsVersion: z.int().nullable(),
  /** raised with each change */
  revision: z.int(),
});
export type TranscriptWords = z.infer<typeof transcriptWordsRecord>;

/** The growing playlists of a video that plays while it is encoded. */
export const earlyPlaybackRecord = z.object({
  planNumber: z.int(),
  /** when the playlists may be extended next */
  dueAt: z.string(),
  /** the codec strings (RFC 6381) of the tracks that the multivariant playlist lists, by name */
  listed: z.record(z.string(), z.string()),
  /** by rung that it does not list yet: the segments from its start that are stored, and when its encode began */
  frontiers: z.record(z.string(), z.object({ count: z.int(), seconds: z.number(), startedAt: z.string() })),
});
export type EarlyPlayback = z.infer<typeof earlyPlaybackRecord>;

/** Units of work done by part of the plan, such as `v0` for the first encode group. Only ever added to within a run. */
export const progressRecord = z.object({
  planNumber: z.int(),
  done: z.record(z.string(), z.number()),
  changedAt: z.string().optional(),
});

/**
 * An edit that encodes or removes a stream, and the outputs that it rebuilds, or that makes another poster. Deleted
 * when the edit ends.
 */
export const streamEditRecord = z.object({
  videoUlid: ulid,
  /** the number of the plan that carries it out */
  planNumber: z.int(),
  action: z.enum(['encode', 'remove', 'poster']),
  /** of another poster: the original */
  streamUlid: ulid,
  type: z.enum(['video', 'audio', 'muxed']),
  /** how the track is encoded, as an entry of a template says it; null when it is taken away */
  entry: z.record(z.string(), z.unknown()).nullable(),
  segmentSeconds: z.number(),
  /** time of the new poster on the clock of the outputs */
  posterSeconds: z.number().optional(),
  /** the image that becomes the poster instead of a frame; `ulid` is part of its key */
  posterUpload: z
    .object({
      ulid,
      sha256: z.string(),
      type: z.enum(imageTypes),
      width: z.int(),
      height: z.int(),
      orientation: z.int(),
    })
    .optional(),
  /** the track that the stream had before, and how it was encoded; null when there was none */
  replaced: z
    .object({ planNumber: z.int(), track: z.string(), inputParams: z.record(z.string(), z.unknown()).optional() })
    .nullable(),
  /** the source's audio track, by its index in the file; absent when the entry's languages choose it */
  sourceStreamIndex: z.int().optional(),
  /** its position among the tracks that the template chooses; absent where it chooses none */
  chosenTrack: z.int().optional(),
  /** outputs to be rebuilt */
  outputs: z.array(ulid),
  /** absent until an execution has it */
  executionArn: z.string().optional(),
  createdAt: z.string(),
});
export type StreamEdit = z.infer<typeof streamEditRecord>;

/** One lease of a job, whose worker may deliver a result as long as it is listed. */
const attemptRecord = z.object({
  lease: z.string(),
  /** ULID of the node, or the pool */
  node: z.string(),
  worker: z.string(),
  startedAt: z.string(),
  /** absent while it runs, and for good where another attempt or the end of the job has ended it */
  endedAt: z.string().optional(),
  errorCode: z.string().optional(),
});
export type JobAttempt = z.infer<typeof attemptRecord>;

const jobRecord = z.object({
  videoUlid: ulid,
  planNumber: z.int(),
  kind: z.enum(jobKinds),
  group: z.int(),
  index: z.int(),
  status: z.enum(jobStatuses),
  /** the token of the state that waits for the job; empty where none waits */
  taskToken: z.string(),
  /**
   * counts the leases from 1; in a finished job it is the attempt whose result counts. Part of the folder that the
   * attempt writes to
   */
  attempt: z.int(),
  /** the last attempts by number: the worker of an expired lease may still deliver the first result */
  attempts: z.record(z.string(), attemptRecord),
  /** reported progress of the furthest attempt, 0..1 */
  progress: z.number(),
  /** estimated CPU seconds */
  estimateSeconds: z.number(),
  /** units of work that its completion adds to the progress */
  workUnits: z.number(),
  /** of a probe, where the query of the video names tracks */
  tracks: askedTracksSchema.optional(),
  /** of a part of speech: the request that it is for, how many attempts others had, and the language to expect */
  speech: z
    .object({
      request: ulid,
      earlierAttempts: z.int().default(0),
      track: z.string(),
      language: z.string().nullable(),
    })
    .optional(),
  /** of the container that it needs; absent when any is large enough */
  memoryMib: z.number().optional(),
  /** of the encoders that it needs */
  codecs: z.array(z.enum(videoCodecs)).optional(),
  /** what the running attempt, or the last one that has failed, has stored: see `StoredSegments` */
  stored: z
    .object({
      attempt: z.int(),
      segments: z.int(),
      run: z.union([z.literal(1), z.literal(2)]),
      codecs: z.record(z.string(), z.string()),
    })
    .optional(),
  lease: z.string().optional(),
  leaseHolder: z.string().optional(),
  leaseExpiresAt: z.string().optional(),
  leasedAt: z.string().optional(),
  /** the lease is a second one, beside that of a straggler whose worker continues */
  speculative: z.boolean().optional(),
  /** it takes far longer than its estimate and is listed as a possible straggler */
  straggles: z.literal(true).optional(),
  worker: z.string().optional(),
  epoch: z.string().optional(),
  queueShard: z.string().optional(),
  queueOrder: z.string().optional(),
  createdAt: z.string(),
  /** when it was last queued */
  queuedAt: z.string(),
  /** when the last attempt ended, and how long the one whose result counts took */
  endedAt: z.string().optional(),
  tookSeconds: z.number().optional(),
  /** the result, or the key of the object that has it when it is too large for an item */
  result: z.unknown().optional(),
  resultKey: z.string().optional(),
  /** problems of the source that the job found, one sentence each */
  warnings: z.array(z.string()).optional(),
  error: z.object({ code: z.string(), message: z.string(), fatal: z.boolean() }).optional(),
  /** how many results could not be stored since the job was last requested */
  refusals: z.int().optional(),
});
type JobRecord = z.infer<typeof jobRecord>;

/** What an attempt has stored while it runs. */
export type StoredByAttempt = NonNullable<JobRecord['stored']>;

/** A job of one kind. */
export type JobOf<Kind extends JobKind> = Omit<JobRecord, 'kind'> & { kind: Kind };
export type Job = { [Kind in JobKind]: JobOf<Kind> }[JobKind];
export type IngestJob = JobOf<'ingest'>;
export type TranscribeJob = JobOf<'transcribe'>;
export type DeliverJob = JobOf<'deliver'>;
/** A job of a video. */
export type VideoJob = Exclude<Job, IngestJob | DeliverJob>;

export const parseJob = (item: unknown): Job => jobRecord.parse(item);

/** The schema of the jobs of one kind: reading a job of another kind fails. */
export const jobRecordOf = <Kind extends JobKind>(kind: Kind): z.ZodType<JobOf<Kind>> =>
  jobRecord.refine((job) => job.kind === kind) as z.ZodType as z.ZodType<JobOf<Kind>>;

/** A user's position in the queue while jobs of the user's videos may be queued. */
export const queueUserRecord = z.object({
  userUlid: ulid,
  servedSeconds: z.number(),
  virtualTimeSeconds: z.number(),
  servedAtMilliseconds: z.number().optional(),
  /** when a job was last queued, to within seconds: the index must list it before the user may leave the queue */
  queuedAt: z.string(),
  queueOrder: z.string().optional(),
});
export type QueueUser = z.infer<typeof queueUserRecord>;

/** Objects that no record refers to any more: all below `prefix`, or those of one track in the folders there. */
export type RetiredFiles = { prefix: string; track?: string };
