import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { nowSeconds, timestamp } from '../../shared/clock.ts';
import { bucket } from '../aws/abort-multipart.ts';
import { presignedSeconds } from '../aws/presign.ts';
import { listParts, objectUrl, signPart, signPost } from '../aws/upload-store.ts';
import { mapBounded } from '../common/concurrency.ts';
import { Conflict, NotFound, PayloadTooLarge, unknownRecord } from '../common/errors.ts';
import { parseUlid } from '../common/ids.ts';
import { chosen } from '../common/keyed-request.ts';
import { signedUrlSeconds, uploadLimits } from '../common/limits.ts';
import { log } from '../common/log.ts';
import { pageMeta, pageOffset } from '../contracts/fields/paging.ts';
import { sourceOptionsIn } from '../contracts/fields/source-options.ts';
import { directUploadRoutes } from '../contracts/routes/direct-upload-routes.ts';
import { objstoreRoutes } from '../contracts/routes/objstore-routes.ts';
import { uploadRoutes } from '../contracts/routes/upload-routes.ts';
import type { ApiEvent } from '../http/call.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { foreignUploadOrigin, takeTokenFromPath } from '../http/upload-token.ts';
import { serializeUpload } from '../serializers/serialize-upload.ts';
import { anyAmount, remainingUploadBytes, requireQuota } from '../table/quotas/reserve.ts';
import type { DirectUpload, Upload, User } from '../table/records.ts';
import { findUsableTemplate } from '../table/template-table.ts';
import { checkUploadToken, createDirectUpload, isUploadOrigin } from '../table/uploads/direct-upload-table.ts';
import { findCompletedParts, findUpload, pageOfOpenUploads } from '../table/uploads/upload-table.ts';
import {
  findOwnedUpload,
  formSeconds,
  openDirectUpload,
  removeUpload,
  requirePartNumber,
} from '../uploads/direct-upload.ts';
import { lengthToSign, suggestedPartBytes } from '../uploads/part-length.ts';
import { abortUpload, completeUpload, openUpload } from '../uploads/upload-lifecycle.ts';
import { bytesReceived } from '../uploads/upload-progress.ts';
import { batchEndpoints } from './ingest/batch-endpoints.ts';
import { ingestEndpoints } from './ingest/ingest-endpoints.ts';

type UploadLookup = {
  params: { uploadId: string };
  rawQuery: Record<string, unknown>;
  user: User;
  direct: DirectUpload | undefined;
};

/** The caller's multipart upload, also if it was aborted. An upload token finds its own upload only. */
async function findMultipart({ params, rawQuery, user, direct }: UploadLookup): Promise<Upload | undefined> {
  const ulid = parseUlid(params.uploadId);
  if (ulid === undefined || (direct && direct.ulid !== ulid)) return undefined;
  const upload = await findUpload(user.ulid, ulid);
  const { key } = rawQuery;
  // A client must not send parts of a file that a worker fetches.
  return upload?.store === 'multipart' && upload.origin === undefined && (key === undefined || key === upload.key)
    ? upload
    : undefined;
}

async function findActive(lookup: UploadLookup): Promise<Upload | undefined> {
  const upload = await findMultipart(lookup);
  return upload?.status === 'aborted' ? undefined : upload;
}

const params = route(objstoreRoutes.params, async ({ query, user, direct }) => {
  const upload = await (direct ? openDirectUpload(user, direct, 'post', query) : openUpload(user, 'post', query));
  const { key, contentType, sizeBytes, maxBytes = uploadLimits.maxPostBytes } = upload;
  // A form has no request that completes it, so its policy limits the size to what the quota allows.
  const left = sizeBytes ?? (await remainingUploadBytes(user)) ?? maxBytes;
  const expires = formSeconds(direct);
  const form = await signPost(
    key,
    contentType,
    Math.max(1, Math.min(left, maxBytes, uploadLimits.maxPostBytes)),
    expires,
  );
  return { method: 'POST' as const, ...form, expires };
});

const create = route(objstoreRoutes.create, async ({ body, user, direct }) => {
  const size = body.size ?? body.metadata.size ?? 0;
  if (size > uploadLimits.maxObjectBytes) throw new PayloadTooLarge('file_too_large', 'The object is over 5 TiB.');
  const request = { ...body, size };
  const upload = await (direct
    ? openDirectUpload(user, direct, 'multipart', request)
    : openUpload(user, 'multipart', request));
  const { key, ulid: uploadId } = upload;
  return { key, uploadId, bucket: bucket(), ulid: videoOf(upload), suggestedPartSize: suggestedPartBytes(size) };
});

/** The video that the upload becomes, or whose source it replaces. */
const videoOf = ({ ulid, replaces }: Upload): string => replaces ?? ulid;

const list = recordRoute(objstoreRoutes.listParts, findActive, async ({ found }) => {
  // The store deletes the list of parts on completion, which may happen after the record was read.
  const stored = found.status === 'open' ? await listParts(found) : undefined;
  const parts = stored ?? (await findCompletedParts(found.ulid));
  if (!parts) throw new NotFound();
  return parts;
});

const sign = recordRoute(objstoreRoutes.signPart, findActive, async ({ found, params, query, user }) => {
  const { partNumber: number } = params;
  requirePartNumber(number, found);
  if (found.status !== 'open') throw new Conflict('upload_complete', 'The upload is complete.');
  return {
    url: await signPart(found, number, { bytes: await lengthToSign(found, { number, bytes: query.size }, user.quota) }),
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
    const { key } = found;
    return { location: await objectUrl(key), key, bucket: bucket(), ulid: videoOf(found) };
  },
);

const abort = recordRoute(objstoreRoutes.abort, findMultipart, async ({ found, user, direct }) => {
  // The owner's abort also revokes the token of a direct upload.
  await (direct ? abortUpload(found) : removeUpload((await findOwnedUpload(user.ulid, found.ulid)) ?? {}));
  return {};
});

const createDirect = route(directUploadRoutes.create, async ({ body, user }) => {
  const {
    template,
    filename = null,
    max_bytes = null,
    allowed_origin = null,
    expires_in,
    clip,
    picture,
    tracks,
    ...external
  } = body;
  if (!(await findUsableTemplate(user.ulid, template))) {
    throw unknownRecord('template');
  }
  await requireQuota(user, [], anyAmount);
  const { direct, token } = await createDirectUpload({
    ownerUlid: user.ulid,
    templateUlid: template,
    fileName: filename,
    maxBytes: max_bytes,
    allowedOrigin: allowed_origin,
    ...external,
    sourceOptions: sourceOptionsIn({ clip, picture, tracks }),
    expiresAt: chosen('time', nowSeconds) + (expires_in ?? signedUrlSeconds.default),
  });
  return { data: { ulid: direct.ulid, upload_token: token, expires_at: timestamp(direct.expiresAt * 1000) } };
});

/** At the same time: a page has up to 100 uploads. */
const maxStoreCalls = 10;

const listOpen = route(uploadRoutes.list, async ({ query, user }) => {
  const { total, uploads } = await pageOfOpenUploads(user.ulid, { offset: pageOffset(query), limit: query.per_page });
  // The size of an upload in parts costs calls of the store, for the uploads of this page only.
  const show = async (upload: Upload) => serializeUpload(upload, await bytesReceived(upload));
  return { data: await mapBounded(uploads, show, maxStoreCalls), meta: pageMeta(query, total) };
});

const remove = recordRoute(
  uploadRoutes.remove,
  async ({ params, user }: { params: { ulid: string }; user: User }) => {
    const ulid = parseUlid(params.ulid);
    return ulid === undefined ? undefined : findOwnedUpload(user.ulid, ulid);
  },
  ({ found }) => removeUpload(found),
);

const uploadEndpoints = [params, create, list, sign, complete, abort, createDirect, listOpen, remove];

const routes = [...uploadEndpoints, ...ingestEndpoints, ...batchEndpoints].map((one) =>
  one.declaration.acceptsUploadToken ? { ...one, checkUploadToken } : one,
);

/** The path of Uppy 6 cannot be configured: it appends `/s3` to the companion URL. */
const handleRequest = createApiHandler(routes, { aliases: { '/api/s3': '/api/objstore' }, respondOnce });

export async function handler(sent: ApiEvent, context: Context): Promise<APIGatewayProxyStructuredResultV2> {
  const event = takeTokenFromPath(sent);
  const origin = foreignUploadOrigin(event);
  if (origin === undefined) return handleRequest(event, context);
  const isKnown = await isUploadOrigin(origin).catch((error: Error) => {
    log.warn('the origin of a request could not be looked up', { error });
    return false;
  });
  return handleRequest({ ...event, ...(isKnown && { uploadOrigin: origin }) }, context);
}
