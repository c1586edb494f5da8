import { S3Client } from '@aws-sdk/client-s3';
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { encodePath } from '../aws/uri-encoding.ts';
import type { Storage } from '../table/storages/storage-table.ts';
import { assumeRole, roleUrlSeconds, type StoreCredentials } from './assume-role.ts';
import { bucketUrl, endpointOf } from './bucket-url.ts';
import { storageError } from './storage-error.ts';
import { readSecret } from './storage-secret.ts';
import { createStoreRequests } from './store-requests.ts';

type SignOptions = {
  query?: Record<string, string>;
  /** All of them are signed: the request must have exactly these. */
  headers?: Record<string, string>;
  expiresSeconds?: number;
};

export type OpenStorage = {
  /**
   * A URL that permits one method on one object. `key` is that in the bucket, with the prefix of the storage. It ends
   * after half an hour at the latest.
   */
  signedUrl: (method: 'GET' | 'PUT' | 'HEAD' | 'DELETE', key: string, options?: SignOptions) => Promise<string>;
  /** For requests of functions, through connections that are checked. It follows no redirect. */
  client: S3Client;
};

/**
 * Reads the secret of a storage, or assumes its role, and returns what sends requests to it.
 * @param timeoutMilliseconds of a request of the client: joining the parts of a large file takes minutes
 * @throws StorageError
 */
export async function openStorage(
  storage: Storage,
  { timeoutMilliseconds = 10_000 }: { timeoutMilliseconds?: number } = {},
): Promise<OpenStorage> {
  const credentials = await credentialsOf(storage);
  const { prefix, pathStyle, region } = storage;
  const client = new S3Client({
    region,
    // Always given: an endpoint in the environment is that of the service's own store.
    endpoint: endpointOf(storage),
    forcePathStyle: pathStyle,
    credentials,
    maxAttempts: 2,
    // Stores of others do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: createStoreRequests(timeoutMilliseconds),
  });
  const signer = new S3RequestPresigner(client.config);
  return {
    client,
    async signedUrl(method, key, { query = {}, headers = {}, expiresSeconds = roleUrlSeconds } = {}) {
      if (!key.startsWith(prefix)) throw new Error('a key outside of the prefix of its storage');
      const url = new URL(`${bucketUrl(storage)}${encodePath(key)}`);
      // A part `..` of a key is a step up in a URL.
      if (!url.pathname.endsWith(encodePath(key))) throw new Error('a key that no URL can name');
      const { protocol, hostname, port, host, pathname: path } = url;
      const lowerCase = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
      const names = lowerCase.map(([name]) => name);
      const signed = await signer.presign(
        {
          method,
          protocol,
          hostname,
          ...(port && { port: Number(port) }),
          path,
          query,
          headers: { ...Object.fromEntries(lowerCase), host },
        },
        {
          expiresIn: Math.min(expiresSeconds, roleUrlSeconds),
          signableHeaders: new Set(['host', ...names]),
          unhoistableHeaders: new Set(names),
        },
      );
      url.search = new URLSearchParams(signed.query as Record<string, string>).toString();
      return String(url);
    },
  };
}

async function credentialsOf(storage: Storage): Promise<StoreCredentials> {
  const { ulid, accessKeyId, roleArn, secretVersion } = storage;
  if (roleArn !== null) return assumeRole(storage);
  const secretAccessKey = secretVersion > 0 ? await readSecret({ ulid, version: secretVersion }) : undefined;
  if (accessKeyId === null || secretAccessKey === undefined) throw storageError('secret_missing');
  return { accessKeyId, secretAccessKey };
}
