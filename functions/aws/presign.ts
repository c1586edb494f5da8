import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl, S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { env, envOr } from '../../shared/environment.ts';
import { encodePath } from './encode-path.ts';

/** How long a presigned URL lives. Jobs are bounded well below it, and Uppy 4 and 5 also take it as the time limit of a part. */
export const presignedSeconds = 3600;

/** Who is to use a URL: a process beside the store, or a client that reaches the store under its public address. */
export type UrlAudience = 'internal' | 'public';

/**
 * A client that signs for the public address of the store, where that is not the address of the functions' own requests: behind a reverse proxy. The
 * host is part of each signature.
 */
export function publicStoreClient(client: S3Client): S3Client {
  const endpoint = envOr('AWS_ENDPOINT_URL_S3_PUBLIC', '');
  return endpoint === ''
    ? client
    : new S3Client({ endpoint, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });
}

/**
 * Makes URLs of the bucket's objects. `getSignedUrl` runs a whole command for each, a third of a millisecond, and a lease has up to a hundred of them: it
 * is asked once, where the bucket is, and signing alone takes a tenth of that.
 */
export function createPresigner(client: S3Client) {
  const signer = new S3RequestPresigner(client.config);
  let asked: Promise<URL> | undefined;

  async function objectUrl(key: string): Promise<URL> {
    asked ??= askForBucket(client).catch((error) => {
      asked = undefined;
      throw error;
    });
    return new URL(encodePath(key), await asked);
  }

  return {
    /** The address of an object, which nobody can use without a signature. */
    objectUrl: async (key: string): Promise<string> => String(await objectUrl(key)),

    /** A URL that is the right to one method on an object; nothing but the host is signed beside it. */
    async signedUrl(method: 'GET' | 'PUT', key: string, query: Record<string, string> = {}): Promise<string> {
      const url = await objectUrl(key);
      const { protocol, hostname, port, host, pathname: path } = url;
      const signed = await signer.presign(
        { method, protocol, hostname, ...(port && { port: Number(port) }), path, query, headers: { host } },
        { expiresIn: presignedSeconds },
      );
      url.search = new URLSearchParams(signed.query as Record<string, string>).toString();
      return String(url);
    },
  };
}

const askForBucket = async (client: S3Client): Promise<URL> =>
  new URL('.', await getSignedUrl(client, new GetObjectCommand({ Bucket: env('BUCKET_NAME'), Key: 'key' })));
