import { createHash } from 'node:crypto';
import { ListMultipartUploadsCommand, ListPartsCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { customerBucket, customerKeys, openCustomerStore } from '../../../test/fixtures/open-customer-store.ts';
import type { Client } from '../../../test/journey/support/client.ts';
import { type Decide, openStoreProxy } from './store-proxy.ts';

/** A bucket of a customer, to which the service copies the files of videos. Its calls can be disturbed. */
export type CustomerStorage = {
  /** Adds it to those of a user, below a prefix. Resolves with the ULID of the storage. */
  addTo(client: Client, prefix: string): Promise<string>;
  disturb(decide: Decide): () => void;
  /** hashes of all objects, by their keys */
  hashes(): Promise<Map<string, string>>;
  /**
   * How many multipart uploads are neither completed nor aborted, of those with parts: the id of one without any may
   * have been lost with the response, or with the process that waited for it.
   */
  openUploads(): Promise<number>;
  close(): Promise<void>;
};

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export async function openCustomerStorage(): Promise<CustomerStorage> {
  const store = await openCustomerStore();
  const proxy = await openStoreProxy(() => ({ store: store.endpoint, control: store.endpoint }));

  return {
    async addTo(client, prefix) {
      const fields = { name: prefix, endpoint: proxy.url, region: 'eu-central-1', bucket: customerBucket, prefix };
      const keys = { access_key_id: customerKeys.accessKeyId, secret_access_key: customerKeys.secretAccessKey };
      const sent = { ...fields, ...keys, path_style: true };
      // When a response is lost, the repetition adds another one, and the first is not used.
      return (await client.post<{ data: { ulid: string } }>('/api/storages', sent)).data.ulid;
    },
    disturb: proxy.disturb,
    async hashes() {
      const found = new Map<string, string>();
      for await (const { Contents = [] } of paginateListObjectsV2(
        { client: store.client },
        { Bucket: customerBucket },
      )) {
        for (const { Key = '' } of Contents) found.set(Key, sha256(await store.readBytes(Key)));
      }
      return found;
    },
    async openUploads() {
      const { Uploads = [] } = await store.client.send(new ListMultipartUploadsCommand({ Bucket: customerBucket }));
      const parts = await Promise.all(
        Uploads.map(async ({ Key, UploadId }) => {
          const upload = { Bucket: customerBucket, Key, UploadId };
          return (await store.client.send(new ListPartsCommand(upload))).Parts ?? [];
        }),
      );
      return parts.filter((ofUpload) => ofUpload.length > 0).length;
    },
    async close() {
      await proxy.close();
      await store.close();
    },
  };
}
