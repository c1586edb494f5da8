import { AbortMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';
import { readEnvironment } from '../../shared/environment.ts';

// Beside the other operations on uploads: a function that only aborts them needs no permission to sign URLs.

const client = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });

export const bucket = (): string => readEnvironment('BUCKET_NAME');

/** A multipart upload: the object's key and the ID that S3 gave the upload. */
export type Multipart = { key: string; s3UploadId: string };

export const multipartParams = ({ key, s3UploadId }: Multipart) => ({
  Bucket: bucket(),
  Key: key,
  UploadId: s3UploadId,
});

/** Aborts an upload and deletes its parts. Does nothing when the upload was already completed or aborted. */
export async function abortMultipart(upload: Multipart): Promise<void> {
  await undefinedIfGone(client.send(new AbortMultipartUploadCommand(multipartParams(upload))));
}

export async function undefinedIfGone<Output>(sent: Promise<Output>): Promise<Output | undefined> {
  try {
    return await sent;
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchUpload') return undefined;
    throw error;
  }
}
