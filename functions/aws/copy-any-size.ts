import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { readEnvironment } from '../../shared/environment.ts';
import { mapBounded } from '../common/concurrency.ts';
import { copyObject, copySource } from './object-store.ts';

/** The largest object that one request copies. */
const maxCopyBytes = 5 * 2 ** 30;
/** 5 TiB in 10,000 parts are 525 MiB each. */
const partBytes = 1024 * 2 ** 20;
const parallelCopies = 16;

const client = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });

type Copy = { from: string; to: string; etag: string; bytes: number };

/** Copies an object inside the bucket. False when its ETag has changed, or it no longer exists. */
export async function copyAnySize({ from, to, etag, bytes }: Copy): Promise<boolean> {
  if (bytes <= maxCopyBytes) return copyObject(from, to, etag);
  const target = { Bucket: readEnvironment('BUCKET_NAME'), Key: to };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
  const upload = { ...target, UploadId };
  const CopySource = copySource(from);
  try {
    const copyPart = async (number: number) => {
      const start = (number - 1) * partBytes;
      const CopySourceRange = `bytes=${start}-${Math.min(bytes, start + partBytes) - 1}`;
      const part = { ...upload, PartNumber: number, CopySource, CopySourceRange, CopySourceIfMatch: etag };
      const { CopyPartResult } = await client.send(new UploadPartCopyCommand(part));
      return { PartNumber: number, ETag: CopyPartResult?.ETag };
    };
    const numbers = Array.from({ length: Math.ceil(bytes / partBytes) }, (_, index) => index + 1);
    const Parts = await mapBounded(numbers, copyPart, parallelCopies);
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
    return true;
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    if (error instanceof Error && ['PreconditionFailed', 'NoSuchKey'].includes(error.name)) return false;
    throw error;
  }
}
