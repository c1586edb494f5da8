import { presignedSeconds } from '../aws/presign.ts';
import { bucket, listParts, objectUrl, signPart, signPost } from '../aws/upload-store.ts';
import { Conflict, NotFound, PayloadTooLarge } from '../common/errors.ts';
import { parseUlid } from '../common/ids.ts';
import { uploadLimits } from '../common/limits.ts';
import { pageMeta, pageOffset } from '../contracts/fields/paging.ts';
import { objstoreRoutes } from '../contracts/routes/objstore-routes.ts';
import { uploadRoutes } from '../contracts/routes/upload-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { serializeUpload } from '../serializers/serialize-upload.ts';
import { remainingUploadBytes } from '../table/quotas/reserve.ts';
import type { Upload, User } from '../table/records.ts';
import { findCompletedParts, findUpload, pageOfOpenUploads } from '../table/uploads/upload-table.ts';
import { bytesReceived } from '../uploads/upload-progress.ts';
import { abortUpload, completeUpload, openUpload } from '../uploads/upload-session.ts';

async function findOwned(user: User, text: string): Promise<Upload | undefined> {
  const ulid = parseUlid(text);
  return ulid === undefined ? undefined : findUpload(user.ulid, ulid);
}

type UploadLookup = { params: { uploadId: string }; rawQuery: Record<string, unknown>; user: User };

/** The caller's multipart upload, also if it was aborted. */
async function findMultipart({ params, rawQuery, user }: UploadLookup): Promise<Upload | undefined> {
  const upload = await findOwned(user, params.uploadId);
  const { key } = rawQuery;
  return upload?.store === 'multipart' && (key === undefined || key === upload.key) ? upload : undefined;
}

async function findActive(lookup: UploadLookup): Promise<Upload | undefined> {
  const upload = await findMultipart(lookup);
  return upload?.status === 'aborted' ? undefined : upload;
}

const params = route(objstoreRoutes.params, async ({ query, user }) => {
  const { key, contentType, sizeBytes } = await openUpload(user, 'post', query);
  // A form has no request that completes it, so its policy limits the size to what the quota allows.
  const maxBytes = sizeBytes ?? (await remainingUploadBytes(user)) ?? uploadLimits.maxPostBytes;
  const form = await signPost(key, contentType, Math.max(1, Math.min(maxBytes, uploadLimits.maxPostBytes)));
  return { method: 'POST' as const, ...form, expires: presignedSeconds };
});

const create = route(objstoreRoutes.create, async ({ body, user }) => {
  const size = body.size ?? 0;
  if (size > uploadLimits.maxObjectBytes) throw new PayloadTooLarge('The object is over 5 TiB.');
  const { key, ulid } = await openUpload(user, 'multipart', body);
  return { key, uploadId: ulid, bucket: bucket(), ulid, suggestedPartSize: suggestedPartBytes(size) };
});

const list = recordRoute(objstoreRoutes.listParts, findActive, async ({ found }) => {
  // The store deletes the list of parts on completion, which may happen after the record was read.
  const stored = found.status === 'open' ? await listParts(found) : undefined;
  const parts = stored ?? (await findCompletedParts(found.ulid));
  if (!parts) throw new NotFound();
  return parts;
});

const sign = recordRoute(objstoreRoutes.signPart, findActive, async ({ found, params }) => {
  if (found.status !== 'open') throw new Conflict('The upload is complete.');
  return {
    url: await signPart(found, params.partNumber),
    method: 'PUT' as const,
    expires: presignedSeconds,
    headers: {},
  };
});

const complete = recordRoute(
  objstoreRoutes.complete,
  findActive,
  async ({ found, body, user, startedAtMilliseconds }) => {
    await completeUpload(found, user.quota, body.parts, startedAtMilliseconds);
    const { key, ulid } = found;
    return { location: await objectUrl(key), key, bucket: bucket(), ulid };
  },
);

const abort = recordRoute(objstoreRoutes.abort, findMultipart, async ({ found }) => {
  await abortUpload(found);
  return {};
});

const listOpen = route(uploadRoutes.list, async ({ query, user }) => {
  const { total, uploads } = await pageOfOpenUploads(user.ulid, { offset: pageOffset(query), limit: query.per_page });
  const data = uploads.map(async (upload) => serializeUpload(upload, await bytesReceived(upload)));
  return { data: await Promise.all(data), meta: pageMeta(query, total) };
});

const remove = recordRoute(
  uploadRoutes.remove,
  ({ params, user }: { params: { ulid: string }; user: User }) => findOwned(user, params.ulid),
  ({ found }) => abortUpload(found),
);

/** 16 MiB, or as many MiB as a file of this size needs to fit into 10,000 parts. */
function suggestedPartBytes(sizeBytes: number): number {
  const mebibyte = 2 ** 20;
  return Math.max(uploadLimits.suggestedPartBytes, Math.ceil(sizeBytes / uploadLimits.maxParts / mebibyte) * mebibyte);
}

/** The path of Uppy 6 cannot be configured: it appends `/s3` to the companion URL. */
export const handler = createApiHandler([params, create, list, sign, complete, abort, listOpen, remove], {
  '/api/s3': '/api/objstore',
});
