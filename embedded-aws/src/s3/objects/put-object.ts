import { receive } from '../bodies/receive-blob.ts';
import { readPayload } from '../bodies/request-payload.ts';
import type { BucketSettings, ObjectEvent } from '../protocol/bucket-settings.ts';
import { header, type Operation, respond } from '../requests/exchange.ts';
import { requirePermission } from '../requests/s3-access.ts';
import { type Completion, findObject, type StoredObject } from '../storage/bucket-state.ts';
import type { Store } from '../storage/object-store.ts';
import { requireWriteConditions } from './conditional-headers.ts';
import { objectHeaders, setChecksumHeaders } from './object-headers.ts';
import { parseTagHeader } from './object-tags.ts';

/**
 * Stores an object together with its event. Resolves when both are on the disk. The state is changed synchronously, so
 * that conditions checked right before still hold.
 */
export async function commitObject(
  store: Store,
  bucket: BucketSettings,
  object: Omit<StoredObject, 'modifiedMs' | 'sequencer'>,
  { reason, completion }: { reason: ObjectEvent['reason']; completion?: Omit<Completion, 'completedMs' | 'object'> },
): Promise<StoredObject> {
  const time = store.now();
  const kept: StoredObject = { ...object, modifiedMs: time.getTime(), sequencer: store.nextSequencer() };
  const event: ObjectEvent = {
    bucket: kept.bucket,
    key: kept.key,
    size: kept.sizeBytes,
    etag: kept.etag,
    reason,
    time: time.toISOString(),
    sequencer: kept.sequencer,
  };
  const { bucket: name, key, etag, checksum } = kept;
  await store.commit({
    type: 'put',
    object: kept,
    ...(bucket.eventBridge && { event }),
    ...(completion && {
      completion: {
        ...completion,
        completedMs: kept.modifiedMs,
        object: { bucket: name, key, etag, ...(checksum && { checksum }) },
      },
    }),
  });
  return kept;
}

export const putObject: Operation = async (exchange) => {
  const { store, request, response, target, bucket } = exchange;
  const payload = readPayload(exchange);
  const headers = objectHeaders(request.headers);
  const tags = parseTagHeader(header(exchange, 'x-amz-tagging'));
  if (tags) requirePermission(exchange, 's3:PutObjectTagging');
  const requireConditions = () =>
    requireWriteConditions(findObject(store.state, target.bucket, target.key), request.headers);
  requireConditions(); // rejects most requests before their body is read

  const { blob, etag, checksum } = await receive(store.blobs, payload);
  try {
    requireConditions();
  } catch (error) {
    store.blobs.remove([blob.id]);
    throw error;
  }
  const object = await commitObject(
    store,
    bucket,
    {
      bucket: target.bucket,
      key: target.key,
      blobs: [blob],
      sizeBytes: blob.sizeBytes,
      etag,
      headers,
      ...(tags && { tags }),
      ...(checksum && { checksum }),
    },
    { reason: 'PutObject' },
  );
  response.setHeader('ETag', `"${object.etag}"`);
  setChecksumHeaders(response, object.checksum);
  respond(exchange, 200);
};
