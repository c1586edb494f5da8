import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type Part,
  S3Client,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { env } from '../../shared/environment.ts';
import { uploadLimits } from '../common/upload-limits.ts';
import { createPresigner, presignedSeconds, publicStoreClient, type UrlAudience } from './presign.ts';

const client = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
const publicClient = publicStoreClient(client);
const presigners = { internal: createPresigner(client), public: createPresigner(publicClient) };

/** The address of an object, which cannot be read without a signature. */
export const { objectUrl } = presigners.public;

export const bucket = (): string => env('BUCKET_NAME');

/** A part as the store has it; the ETag with its double quotes. */
export type StoredPart = { PartNumber: number; Size: number; ETag: string };

/** What the store says to a list of parts that it will not join. */
export class PartsRefused extends Error {
  override readonly name = 'PartsRefused';
}

/** An object of a multipart upload and the store's id of it. */
type Multipart = { key: string; s3UploadId: string };

const multipartParams = ({ key, s3UploadId }: Multipart) => ({
  Bucket: bucket(),
  Key: key,
  UploadId: s3UploadId,
});

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
  for await (const page of partPages(upload)) {
    if (!page) return undefined;
    for (const { PartNumber = 0, Size = 0, ETag = '' } of page) parts.push({ PartNumber, Size, ETag });
  }
  return parts;
}

/** What the store has of an upload, a page at a time, for as long as it is asked for; undefined when it no longer knows the upload. */
export async function* partPages(upload: Multipart): AsyncGenerator<readonly Part[] | undefined> {
  let after: string | undefined;
  do {
    const page: ListPartsCommandOutput | undefined = await unlessGone(
      client.send(
        new ListPartsCommand({ ...multipartParams(upload), ...(after !== undefined && { PartNumberMarker: after }) }),
      ),
    );
    yield page && (page.Parts ?? []);
    after = page?.IsTruncated ? page.NextPartNumberMarker : undefined;
  } while (after !== undefined);
}

/** A URL for one PUT of this part. */
export const signPart = (
  { key, s3UploadId: uploadId }: Multipart,
  partNumber: number,
  reach: UrlAudience = 'public',
): Promise<string> => presigners[reach].signedUrl('PUT', key, { partNumber: String(partNumber), uploadId });

/**
 * Joins the parts, which may take the store minutes. False when it no longer knows the upload: joined before, or aborted.
 * @throws PartsRefused
 */
export async function completeMultipart(upload: Multipart, parts: readonly StoredPart[]): Promise<boolean> {
  const Parts = parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
  try {
    const done = await unlessGone(
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

/** Drops an upload and its parts; nothing happens when the store no longer knows it. */
export async function abortMultipart(upload: Multipart): Promise<void> {
  await unlessGone(client.send(new AbortMultipartUploadCommand(multipartParams(upload))));
}

/** A form that a client can post one object of 1 byte to 5 GiB with. */
export function signPost(key: string, contentType: string) {
  return createPresignedPost(publicClient, {
    Bucket: bucket(),
    Key: key,
    Fields: { success_action_status: '201', 'content-type': contentType },
    Conditions: [['content-length-range', 1, uploadLimits.postBytes]],
    Expires: presignedSeconds,
  });
}

async function unlessGone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchUpload') return undefined;
    throw error;
  }
}
