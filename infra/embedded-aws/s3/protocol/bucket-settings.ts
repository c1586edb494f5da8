import type { Principal } from '../../iam/principals.ts';
import type { UploadRate } from './received-body.ts';

/** One object that came to be. The shape says what EventBridge's "Object Created" needs; `time` is ISO 8601. */
export type ObjectEvent = {
  bucket: string;
  key: string;
  size: number;
  etag: string;
  reason: 'PutObject' | 'PostObject' | 'CompleteMultipartUpload' | 'CopyObject';
  time: string;
  sequencer: string;
};

export type CorsRule = {
  allowedOrigins: string[];
  allowedMethods: string[];
  allowedHeaders: string[];
  exposedHeaders: string[];
  maxAgeSeconds?: number;
};

export type BucketSettings = {
  name: string;
  cors: CorsRule[];
  eventBridge: boolean;
  lifecycle?: { abortIncompleteMultipartDays?: number; expire: { prefix: string; days: number }[] };
};

export type S3Options = {
  /** Holds all state. One server at a time. */
  folder: string;
  region: string;
  findPrincipal: (accessKeyId: string) => Principal | undefined;
  buckets: BucketSettings[];
  /** Called at least once for each object in a bucket with `eventBridge`, again until it resolves, also after a restart. */
  onObjectCreated: (event: ObjectEvent) => void | Promise<void>;
  /** The slowest upload that is waited for; see `slowestUpload`. */
  minUploadRate?: UploadRate;
  now?: () => Date;
};
