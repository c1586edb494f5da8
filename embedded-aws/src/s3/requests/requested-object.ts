import { S3Error } from '../protocol/s3-errors.ts';
import { findObject, type Part, type StoredObject, type Upload } from '../storage/bucket-state.ts';
import { type Exchange, query } from './exchange.ts';
import { notFoundError } from './s3-access.ts';

/** The object that the request names. @throws NoSuchKey, AccessDenied */
export function requireObject({ store, target, authentication }: Exchange): StoredObject {
  const object = findObject(store.state, target.bucket, target.key);
  if (!object) throw notFoundError(authentication, target.bucket, target.key);
  return object;
}

/** The multipart upload that the request names, if it is for the key of the request. @throws NoSuchUpload */
export function requireUpload(exchange: Exchange): { upload: Upload; parts: Map<number, Part> } {
  const { store, target } = exchange;
  const uploadId = query(exchange, 'uploadId') ?? '';
  const found = store.state.uploads.get(uploadId);
  if (found && found.upload.bucket === target.bucket && found.upload.key === target.key) return found;
  throw new S3Error('NoSuchUpload', undefined, { details: { UploadId: uploadId } });
}
