import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl, S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { readEnvironment } from '../../shared/environment.ts';
import { encodePath } from './uri-encoding.ts';

/** Lifetime of a presigned URL. Jobs have shorter time limits. Uppy 4 and 5 also use it as the timeout of a part. */
export const presignedSeconds = 3600;

/** Who uses a URL: a worker inside the stage, or a client that reaches the store at its public address. */
export type UrlAudience = 'internal' | 'public';

/**
 * A client that signs for the address at which an audience reaches the store. On one machine that may be a reverse
 * proxy, or the network of separate workers, and the host is part of each signature.
 */
export function storeClientFor(audience: UrlAudience, client: S3Client): S3Client {
  const name = audience === 'public' ? 'AWS_ENDPOINT_URL_S3_PUBLIC' : 'AWS_ENDPOINT_URL_S3_WORKERS';
  const endpoint = readEnvironment(name);
  return endpoint === undefined
    ? client
    : new S3Client({ endpoint, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });
}

/** One for each audience, as `createPresigner` makes them. */
export const createPresigners = (client: S3Client): Record<UrlAudience, ReturnType<typeof createPresigner>> => ({
  internal: createPresigner(storeClientFor('internal', client)),
  public: createPresigner(storeClientFor('public', client)),
});

/**
 * Makes URLs of the bucket's objects. `getSignedUrl` runs a whole command for each URL, which takes 0.3 ms, and a lease
 * has up to 100 URLs. So it is called once, to find the bucket's address; signing alone takes a tenth of the time.
 */
export function createPresigner(client: S3Client) {
  const signer = new S3RequestPresigner(client.config);
  let bucketUrl: Promise<URL> | undefined;

  async function objectUrl(key: string): Promise<URL> {
    bucketUrl ??= findBucketUrl(client).catch((error) => {
      bucketUrl = undefined;
      throw error;
    });
    return new URL(encodePath(key), await bucketUrl);
  }

  return {
    /** The address of an object; without a signature it cannot be read. */
    objectUrl: async (key: string): Promise<string> => String(await objectUrl(key)),

    /** A URL that permits one method on one object. Signed are the host and, if given, the length of the body. */
    async signedUrl(
      method: 'GET' | 'PUT',
      key: string,
      query: Record<string, string> = {},
      {
        bodyBytes,
        expiresSeconds = presignedSeconds,
      }: { bodyBytes?: number | undefined; expiresSeconds?: number } = {},
    ): Promise<string> {
      const url = await objectUrl(key);
      const { protocol, hostname, port, host, pathname: path } = url;
      const headers = { host, ...(bodyBytes !== undefined && { 'content-length': String(bodyBytes) }) };
      const signed = await signer.presign(
        { method, protocol, hostname, ...(port && { port: Number(port) }), path, query, headers },
        { expiresIn: expiresSeconds },
      );
      url.search = new URLSearchParams(signed.query as Record<string, string>).toString();
      return String(url);
    },
  };
}

const findBucketUrl = async (client: S3Client): Promise<URL> =>
  new URL(
    '.',
    await getSignedUrl(client, new GetObjectCommand({ Bucket: readEnvironment('BUCKET_NAME'), Key: 'key' })),
  );
