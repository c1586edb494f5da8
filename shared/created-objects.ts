import { uploadsPrefix, watchPrefix } from './object-keys.ts';

/**
 * The operations whose objects become videos, by prefix, as EventBridge names them. S3 documents `POST Object` for
 * forms (AmazonS3/latest/userguide/ev-events.html), but for all others the name of the operation, so `PostObject` is
 * accepted too. Below `uploads/` only the service itself copies objects.
 */
export const ingestedReasons: Readonly<Record<string, readonly string[]>> = {
  [uploadsPrefix]: ['CompleteMultipartUpload', 'POST Object', 'PostObject'],
  [watchPrefix]: ['PutObject', 'CopyObject', 'CompleteMultipartUpload'],
};
