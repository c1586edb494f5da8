import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodePath } from '../../http/uri-encoding.ts';
import type { Verifier } from '../../iam/verify-signature.ts';
import { maxBlobBytes } from '../bodies/receive-blob.ts';
import { headerValue, objectHeaders } from '../objects/object-headers.ts';
import { parseTagging } from '../objects/object-tags.ts';
import { commitObject } from '../objects/put-object.ts';
import type { BucketSettings } from '../protocol/bucket-settings.ts';
import { checksumAlgorithms, checksumHeader, digestOf } from '../protocol/checksums.ts';
import { requireKeyLength } from '../protocol/request-target.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { respond } from '../requests/exchange.ts';
import { objectArn, requireAccess } from '../requests/s3-access.ts';
import type { StoredObject } from '../storage/bucket-state.ts';
import type { Store } from '../storage/object-store.ts';
import { readPostForm } from './post-form.ts';
import { type PostLimits, requirePostPolicy } from './post-policy.ts';

async function* limited(chunks: AsyncIterable<Buffer>, { maxBytes }: PostLimits): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new S3Error('EntityTooLarge', undefined, { details: { ProposedSize: bytes, MaxSizeAllowed: maxBytes } });
    }
    yield chunk;
  }
}

/** Stores the file of the form. @throws EntityTooLarge, EntityTooSmall, BadDigest */
async function receiveFile(
  store: Store,
  chunks: AsyncIterable<Buffer>,
  limits: PostLimits,
  fields: Map<string, string>,
): Promise<Pick<StoredObject, 'blobs' | 'sizeBytes' | 'etag' | 'checksum'>> {
  const algorithm = checksumAlgorithms.find((name) => fields.has(checksumHeader(name)));
  const md5 = digestOf('md5');
  const other = algorithm && digestOf(algorithm);
  const blob = await store.blobs.write(limited(chunks, limits), other ? [md5, other] : [md5]);
  const kept = { blobs: [blob], sizeBytes: blob.sizeBytes, etag: md5.digest().toString('hex') };
  const value = other?.digest().toString('base64');
  const tooSmall = blob.sizeBytes < limits.minBytes;
  if (!tooSmall && (!algorithm || fields.get(checksumHeader(algorithm)) === value)) {
    return { ...kept, ...(algorithm && { checksum: { algorithm, type: 'FULL_OBJECT', value: value! } }) };
  }
  store.blobs.remove([blob.id]);
  if (!tooSmall) throw new S3Error('BadDigest');
  throw new S3Error('EntityTooSmall', undefined, {
    details: { ProposedSize: blob.sizeBytes, MinSizeAllowed: limits.minBytes },
  });
}

function respondPosted(
  request: IncomingMessage,
  response: ServerResponse,
  fields: Map<string, string>,
  object: StoredObject,
) {
  const { bucket, key } = object;
  const etag = `"${object.etag}"`;
  const location = `http://${request.headers.host}/${bucket}/${encodePath(key)}`;
  response.setHeader('ETag', etag);
  response.setHeader('Location', location);
  const redirect = fields.get('success_action_redirect') ?? '';
  if (URL.canParse(redirect)) {
    const to = new URL(redirect);
    for (const [name, value] of Object.entries({ bucket, key, etag })) to.searchParams.append(name, value);
    response.setHeader('Location', to.href);
    return respond({ response }, 303);
  }
  const status = fields.get('success_action_status');
  if (status === '201') {
    const content = { Location: location, Bucket: bucket, Key: key, ETag: etag };
    return respond({ response }, 201, { root: 'PostResponse', content });
  }
  respond({ response }, status === '200' ? 200 : 204);
}

type Posted = { store: Store; bucket: BucketSettings; verifier: Verifier; body: AsyncIterable<Buffer> };

/** Handles a form upload of a browser. The signed policy in the form takes the place of a signed request. */
export async function postObject(
  request: IncomingMessage,
  response: ServerResponse,
  { store, bucket, verifier, body }: Posted,
): Promise<void> {
  const { fields: raw, file } = await readPostForm(request.headers['content-type'], body);
  const fields = new Map(
    [...raw].map(([name, value]) => [
      name,
      name === 'policy' ? value : value.replaceAll(`\${filename}`, () => file.name),
    ]),
  );
  const { principal, limits } = requirePostPolicy(fields, bucket.name, verifier);
  const key = fields.get('key');
  if (!key)
    throw new S3Error(
      'InvalidArgument',
      "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.",
    );
  requireKeyLength(key);
  const resource = objectArn(bucket.name, key);
  const signer = { principal, presigned: true };
  requireAccess(signer, { action: 's3:PutObject', resource });
  const headers = objectHeaders(
    Object.fromEntries(
      [...fields].map(([name, value]) => [name, name === 'policy' ? value : headerValue(name, value)]),
    ),
  );
  const tagging = fields.get('tagging');
  const tags = tagging === undefined ? undefined : parseTagging(Buffer.from(tagging));
  if (tags) requireAccess(signer, { action: 's3:PutObjectTagging', resource });

  const received = await receiveFile(
    store,
    file.chunks,
    { ...limits, maxBytes: Math.min(limits.maxBytes, maxBlobBytes) },
    fields,
  );
  const object = await commitObject(
    store,
    bucket,
    { bucket: bucket.name, key, headers, ...received, ...(tags && { tags }) },
    { reason: 'POST Object' },
  );
  respondPosted(request, response, fields, object);
}
