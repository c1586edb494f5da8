import * as z from 'zod';
import { jobKinds } from './job-kinds.ts';

/** Records as they are stored. Every item that is read goes through one of these, so that a wrong item is found where it is read. */

const ulid = z.string().length(26);
const statuses = z.enum(['pending', 'running', 'completed', 'failed']);

export const userRecord = z.object({
  ulid,
  id: z.int(),
  name: z.string(),
  email: z.string(),
  passwordHash: z.string(),
  isAdmin: z.boolean(),
  createdAt: z.string(),
});
export type User = z.infer<typeof userRecord>;

export const templateRecord = z.object({
  ulid,
  id: z.int(),
  ownerUlid: ulid,
  name: z.string(),
  /** the user's query as it was sent and validated */
  query: z.record(z.string(), z.unknown()),
  createdAt: z.string(),
});
export type Template = z.infer<typeof templateRecord>;

/** One upload, whose ULID becomes the video's. `store` is how its bytes come: parts, or one form post. */
export const uploadRecord = z.object({
  ulid,
  ownerUlid: ulid,
  key: z.string(),
  store: z.enum(['multipart', 'post']),
  /** the store's id of the multipart upload, empty for a form post */
  storeUploadId: z.string(),
  status: z.enum(['open', 'completing', 'stored', 'aborted']),
  fileName: z.string(),
  contentType: z.string(),
  templateUlid: ulid,
  externalUserId: z.string().nullable(),
  externalResourceId: z.string().nullable(),
  createdAt: z.string(),
});
export type Upload = z.infer<typeof uploadRecord>;

export const videoRecord = z.object({
  ulid,
  id: z.int(),
  ownerUlid: ulid,
  name: z.string(),
  status: z.enum(['pending', 'downloading', 'running', 'uploading', 'completed', 'failed']),
  durationSeconds: z.number().nullable(),
  aspectRatio: z.string().nullable(),
  thumbnailPath: z.string().nullable(),
  templateUlid: ulid,
  templateId: z.int(),
  /** the template's query as it was when work began; null before */
  query: z.record(z.string(), z.unknown()).nullable(),
  sourceKey: z.string(),
  sourceBytes: z.int(),
  externalUserId: z.string().nullable(),
  externalResourceId: z.string().nullable(),
  /** counts the plans that were made of the video, from 1: jobs, files and outputs belong to one */
  run: z.int(),
  /** counts the times that work on the video was begun, from 1: executions that the service starts are named by it */
  starts: z.int(),
  executionArn: z.string().nullable(),
  /** when this run was taken up; what the queue's fairness counts from */
  startedAt: z.string().nullable(),
  createdAt: z.string(),
  /** set once: the video is gone for everyone, its files are being removed */
  deletedAt: z.string().optional(),
});
export type Video = z.infer<typeof videoRecord>;

export const streamRecord = z.object({
  ulid,
  id: z.int(),
  /** the plan it comes from */
  run: z.int(),
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
  status: statuses,
  createdAt: z.string(),
});
export type Stream = z.infer<typeof streamRecord>;

export const streamsRecord = z.object({ run: z.int(), streams: z.record(z.string(), streamRecord) });

export const outputRecord = z.object({
  ulid,
  /** the plan it comes from: outputs of an earlier one play until their successors do */
  run: z.int(),
  name: z.string(),
  format: z.enum(['hls', 'dash', 'mp4']),
  container: z.enum(['fmp4', 'ts', 'mp4']),
  status: statuses,
  /** ULIDs of the streams in it */
  streams: z.array(ulid),
  /** units of work by part of the plan, as PROGRESS counts them */
  work: z.record(z.string(), z.number()),
  bytes: z.int().nullable(),
  /** key of the manifest or file that viewers open */
  entryKey: z.string().nullable(),
  errorLog: z.string().nullable(),
  createdAt: z.string(),
  completedAt: z.string().nullable(),
});
export type Output = z.infer<typeof outputRecord>;

export const outputsRecord = z.object({ run: z.int(), outputs: z.record(z.string(), outputRecord) });

/** Units of work done by part of the plan, such as `v0` for the first encode group. Only ever added to within a run. */
export const progressRecord = z.object({ run: z.int(), done: z.record(z.string(), z.number()) });

export const jobRecord = z.object({
  videoUlid: ulid,
  run: z.int(),
  kind: z.enum(jobKinds),
  group: z.int(),
  index: z.int(),
  status: z.enum(['QUEUED', 'LEASED', 'DONE', 'FAILED', 'CANCELLED']),
  /** where the state machine waits for the answer */
  taskToken: z.string(),
  /** counts the leases given, from 1; names the folder the attempt writes to */
  attempt: z.int(),
  /** what a worker has reported, 0..1, of the attempt that came furthest */
  progress: z.number(),
  /** CPU seconds the job is thought to take, for deciding on workers */
  estimateSeconds: z.number(),
  /** what its completion adds to its part of the progress */
  workUnits: z.number(),
  lease: z.string().optional(),
  leaseHolder: z.string().optional(),
  leaseExpiresAt: z.string().optional(),
  worker: z.string().optional(),
  epoch: z.string().optional(),
  queueShard: z.string().optional(),
  queueOrder: z.string().optional(),
  queuedAt: z.string(),
  result: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string(), fatal: z.boolean() }).optional(),
});
export type Job = z.infer<typeof jobRecord>;
