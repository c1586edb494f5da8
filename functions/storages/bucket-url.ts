import type { Storage } from '../table/storages/storage-table.ts';

/** The origin of a store. That of AWS depends on the region. */
export const endpointOf = ({ endpoint, region }: Pick<Storage, 'endpoint' | 'region'>): string =>
  endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

/** The address of the bucket, with a slash at its end. */
export function bucketUrl(storage: Pick<Storage, 'endpoint' | 'region' | 'bucket' | 'pathStyle'>): string {
  const { bucket } = storage;
  const { protocol, host } = new URL(endpointOf(storage));
  // As the client does it: the certificates of stores have one wildcard, which a bucket with dots does not match.
  const isPath = storage.pathStyle || bucket.includes('.');
  return isPath ? `${protocol}//${host}/${bucket}/` : `${protocol}//${bucket}.${host}/`;
}
