import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type Part,
  S3Client,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { cacheControl } from '../../delivery/urls/delivered-headers.ts';
import { videosPrefix } from '../../shared/object-keys.ts';
import { bucket, type Multipart, multipartParams, undefinedIfGone } from './abort-multipart.ts';
import { createPresigners, storeClientFor, type UrlAudience } from './presign.ts';

const client = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
const publicClient = storeClientFor('public', client);
const presigners = createPresigners(client);

/** The address of an object; without a signature it cannot be read. */
export const { objectUrl } = presigners.public;

/** A part in the store. The ETag includes its double quotes. */
export type StoredPart = { PartNumber: number; Size: number; ETag: string };

/** The store cannot join the listed parts. */
export class PartsRefused extends Error {
  override readonly name = 'PartsRefused';
}

/** Starts a multipart upload and returns S3's ID of it. */
export async function createMultipart(key: string, contentType: string): Promise<string> {
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({
      Bucket: bucket(),
      Key: key,
      ContentType: contentType,
      // The edge and its viewers keep a file of a video for as long as this header says.
      ...(key.startsWith(videosPrefix) && { CacheControl: cacheControl(key) }),
    }),
  );
  if (UploadId === undefined) throw new Error('the store returned no ID of the multipart upload');
  return UploadId;
}

/** All stored parts of an upload, ascending; undefined when the upload was completed or aborted. */
export async function listParts(upload: Multipart): Promise<StoredPart[] | undefined> {
  const parts: StoredPart[] = [];
  for await (const page of partPages(upload)) {
    if (!page) return undefined;
    for (const { PartNumber = 0, Size = 0, ETag = '' } of page) parts.push({ PartNumber, Size, ETag });
  }
  return parts;
}

/** The stored parts of an upload, page by page; undefined when the upload was completed or aborted. */
export async function* partPages(upload: Multipart): AsyncGenerator<readonly Part[] | undefined> {
  let after: string | undefined;
  do {
    const page: ListPartsCommandOutput | undefined = await undefinedIfGone(
      client.send(
        new ListPartsCommand({ ...multipartParams(upload), ...(after !== undefined && { PartNumberMarker: after }) }),
      ),
    );
    yield page && (page.Parts ?? []);
    after = page?.IsTruncated ? page.NextPartNumberMarker : undefined;
  } while (after !== undefined);
}

/** A URL for one PUT of this part, which must have exactly `bytes` if they are given. */
export const signPart = (
  { key, s3UploadId }: Multipart,
  partNumber: number,
  { audience = 'public', bytes }: { audience?: UrlAudience; bytes?: number | undefined } = {},
): Promise<string> =>
  presigners[audience].signedUrl(
    'PUT',
    key,
    { partNumber: String(partNumber), uploadId: s3UploadId },
    { bodyBytes: bytes },
  );

/**
 * Joins the parts, which can take the store minutes. False when the upload was already completed or aborted.
 * @throws PartsRefused
 */
export async function completeMultipart(upload: Multipart, parts: readonly StoredPart[]): Promise<boolean> {
  const Parts = parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
  try {
    const done = await undefinedIfGone(
      client.send(new CompleteMultipartUploadCommand({ ...multipartParams(upload), MultipartUpload: { Parts } })),
    );
    return done !== undefined;
  } catch (error) {
    if (error instanceof Error && ['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall'].includes(error.name)) {
      throw new PartsRefused(error.message);
    }
    throw error;
  }
}

/** The fields of a form with which a client can post one object of 1 byte to `maxBytes`. */
export function signPost(key: string, contentType: string, maxBytes: number, expiresSeconds: number) {
  return createPresignedPost(publicClient, {
    Bucket: bucket(),
    Key: key,
    Fields: { success_action_status: '201', 'content-type': contentType },
    Conditions: [['content-length-range', 1, maxBytes]],
    Expires: expiresSeconds,
  });
}
