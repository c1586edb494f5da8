import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { afterAll, onTestFinished } from 'vitest';
import { runS3 } from '../../s3/running.ts';
import { clientConfig, isEmbedded, uniqueName } from '../target.ts';

/** Names of the buckets that `openBuckets` creates. */
export const bucketName = isEmbedded ? 'media' : uniqueName('media');
export const otherBucket = isEmbedded ? 'other' : uniqueName('other');

type Buckets = { region: string; client(config?: Partial<S3ClientConfig>): S3Client };
let created: Promise<unknown> | undefined;

/** Two empty buckets in the target. What is in them is removed after the test, and the buckets after the file. */
export async function openBuckets(): Promise<Buckets> {
  if (isEmbedded) {
    const { client } = await runS3();
    return { client, region: 'eu-west-2' };
  }
  const main = new S3Client(clientConfig);
  const clients = [main];
  const Buckets = [bucketName, otherBucket];
  created ??= Promise.all(Buckets.map((Bucket) => main.send(new CreateBucketCommand({ Bucket }))));
  await created;
  onTestFinished(async () => {
    for (const Bucket of Buckets) await empty(main, Bucket);
    for (const client of clients) client.destroy();
  });
  return {
    region: clientConfig.region,
    client(config = {}) {
      const client = new S3Client({ ...clientConfig, maxAttempts: 1, ...config });
      clients.push(client);
      return client;
    },
  };
}

async function empty(s3: S3Client, Bucket: string): Promise<void> {
  const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
  for (const { Key, UploadId } of Uploads) {
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  }
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
  const Objects = Contents.map(({ Key }) => ({ Key }));
  if (Objects.length > 0) await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
}

afterAll(async () => {
  if (!created) return;
  const s3 = new S3Client(clientConfig);
  for (const Bucket of [bucketName, otherBucket]) await s3.send(new DeleteBucketCommand({ Bucket }));
});
