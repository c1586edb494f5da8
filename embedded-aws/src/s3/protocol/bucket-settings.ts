import type { Meter } from '../../account/meter.ts';
import type { Principal } from '../../iam/principals.ts';
import type { UploadRate } from './received-body.ts';

/** An object that was created, with what the "Object Created" event of EventBridge contains. `time` is ISO 8601. */
export type ObjectEvent = {
  bucket: string;
  key: string;
  size: number;
  etag: string;
  reason: 'PutObject' | 'POST Object' | 'CompleteMultipartUpload' | 'CopyObject';
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
  /** Contains all state. Only one server may use it. */
  folder: string;
  region: string;
  findPrincipal: (accessKeyId: string, sessionToken?: string) => Principal | undefined;
  buckets: BucketSettings[];
  /** Called at least once for each object in a bucket with `eventBridge`, and again after a rejection or a restart. */
  onObjectCreated: (event: ObjectEvent) => void | Promise<void>;
  /** Slower uploads end with RequestTimeout. The default is `defaultMinUploadRate`. */
  minUploadRate?: UploadRate;
  now?: () => Date;
  meter?: Meter | undefined;
};
