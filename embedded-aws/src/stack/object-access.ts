import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';

/** Access to objects for the item readers and result writers of a state machine. */
export const objectAccess = (store: S3Client) => ({
  async readObject(bucket: string, key: string): Promise<Uint8Array> {
    const { Body } = await store.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return Body!.transformToByteArray();
  },

  async writeObject(bucket: string, key: string, body: string): Promise<void> {
    await store.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
  },

  async listObjects(bucket: string, prefix: string): Promise<{ Key: string; Size: number }[]> {
    const found: { Key: string; Size: number }[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: store },
      { Bucket: bucket, Prefix: prefix },
    )) {
      found.push(...Contents.map(({ Key, Size }) => ({ Key: Key!, Size: Size! })));
    }
    return found;
  },
});
