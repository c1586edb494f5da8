import { uploadsPrefix, watchPrefix } from './object-keys.ts';

/**
 * The operations whose objects become videos, by prefix, as EventBridge names them. Below `uploads/` only the service
 * itself copies objects.
 */
export const ingestedReasons: Readonly<Record<string, readonly string[]>> = {
  [uploadsPrefix]: ['CompleteMultipartUpload', 'PostObject'],
  [watchPrefix]: ['PutObject', 'CopyObject', 'CompleteMultipartUpload'],
};
