import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListPartsCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { env } from '../../shared/env.ts';
import { uploadLimits } from '../../shared/upload-limits.ts';

/** By default the client signs the checksum of an empty body into the URL of a part, and S3 then refuses every real part. */
const client = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });

export const bucket = (): string => env('BUCKET_NAME');

/** How long a client may use what was signed for it. Uppy 4 and 5 also take it as the time limit of the part. */
export const presignSeconds = 3600;

/** A part as the store has it; the ETag with its double quotes. */
export type StoredPart = { PartNumber: number; Size: number; ETag: string };

/** What the store says to a list of parts that it will not join. */
export class PartsRefused extends Error {
  override readonly name = 'PartsRefused';
}

/** An object of a multipart upload and the store's id of it. */
type Multipart = { key: string; storeUploadId: string };

const named = ({ key, storeUploadId }: Multipart) => ({ Bucket: bucket(), Key: key, UploadId: storeUploadId });

/** Opens a multipart upload and returns the store's id of it. */
export async function createMultipart(key: string, contentType: string): Promise<string> {
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ Bucket: bucket(), Key: key, ContentType: contentType }),
  );
  if (UploadId === undefined) throw new Error('the store gave a multipart upload no id');
  return UploadId;
}

/** Every part that the store has of an upload, ascending; undefined when it no longer knows the upload. */
export async function listParts(upload: Multipart): Promise<StoredPart[] | undefined> {
  const parts: StoredPart[] = [];
  let after: string | undefined;
  do {
    const page = await unlessGone(
      client.send(new ListPartsCommand({ ...named(upload), ...(after !== undefined && { PartNumberMarker: after }) })),
    );
    if (!page) return undefined;
    for (const { PartNumber = 0, Size = 0, ETag = '' } of page.Parts ?? []) parts.push({ PartNumber, Size, ETag });
    after = page.IsTruncated ? page.NextPartNumberMarker : undefined;
  } while (after !== undefined);
  return parts;
}

/** A URL for one PUT of this part; nothing but the host is signed. */
export const signPart = (upload: Multipart, partNumber: number): Promise<string> =>
  getSignedUrl(client, new UploadPartCommand({ ...named(upload), PartNumber: partNumber }), {
    expiresIn: presignSeconds,
  });

/**
 * Joins the parts, which may take the store minutes. False when it no longer knows the upload: joined before, or aborted.
 * @throws PartsRefused
 */
export async function completeMultipart(upload: Multipart, parts: readonly StoredPart[]): Promise<boolean> {
  const Parts = parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
  try {
    const done = await unlessGone(
      client.send(new CompleteMultipartUploadCommand({ ...named(upload), MultipartUpload: { Parts } })),
    );
    return done !== undefined;
  } catch (error) {
    if (error instanceof Error && ['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall'].includes(error.name)) {
      throw new PartsRefused(error.message);
    }
    throw error;
  }
}

/** Drops an upload and its parts; nothing happens when the store no longer knows it. */
export async function abortMultipart(upload: Multipart): Promise<void> {
  await unlessGone(client.send(new AbortMultipartUploadCommand(named(upload))));
}

/** A form that a client can post one object of 1 byte to 5 GiB with. */
export function signPost(key: string, contentType: string) {
  return createPresignedPost(client, {
    Bucket: bucket(),
    Key: key,
    Fields: { success_action_status: '201', 'content-type': contentType },
    Conditions: [['content-length-range', 1, uploadLimits.postBytes]],
    Expires: presignSeconds,
  });
}

/** The address of an object, which nobody can read without a signature. */
export async function objectUrl(key: string): Promise<string> {
  const signed = new URL(await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket(), Key: key })));
  return `${signed.origin}${signed.pathname}`;
}

async function unlessGone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchUpload') return undefined;
    throw error;
  }
}
