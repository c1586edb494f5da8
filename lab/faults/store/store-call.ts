import type { IncomingMessage } from 'node:http';

/** A request to the object store or the table, as seen from outside. */
export type StoreCall = {
  service: 's3' | 'dynamodb';
  /** the DynamoDB operation; for S3 method and subject of the query, such as `POST uploads` */
  operation: string;
  method: string;
  /** the path of the URL */
  path: string;
  /** uses a presigned URL of a worker. Uploaders have such URLs for their parts and request others themselves */
  presigned: boolean;
  /** the same for all retries of a call by an SDK client; empty for other clients */
  invocation: string;
  /** the DynamoDB request as JSON; empty for S3 */
  body: string;
};

const about = ['uploads', 'uploadId', 'tagging', 'delete', 'list-type'];

/** A request that is neither for a service with operations in headers, nor for Lambda. */
export const isForStore = ({ headers, url = '' }: IncomingMessage): boolean =>
  headers['x-amz-target'] === undefined && !url.startsWith('/2015-03-31/');

/** Undefined for calls of the other services behind the same address. */
export function storeCallOf(request: IncomingMessage, readBody: () => Promise<string>): Promise<StoreCall> | undefined {
  const { headers, method = '', url = '' } = request;
  const [path = '', queryText] = url.split('?');
  const invocation = String(headers['amz-sdk-invocation-id'] ?? '');
  const target = String(headers['x-amz-target'] ?? '');
  if (target.startsWith('DynamoDB_')) {
    const operation = target.split('.')[1] ?? '';
    const named = { service: 'dynamodb', operation, method, path, invocation } as const;
    return readBody().then((body) => ({ ...named, presigned: false, body }));
  }
  if (!isForStore(request)) return undefined;
  const query = new URLSearchParams(queryText ?? '');
  const operation = [method, ...about.filter((name) => query.has(name))].join(' ');
  const isPart = method === 'PUT' && url.includes('/uploads/');
  const presigned = query.has('X-Amz-Signature') && !isPart;
  return Promise.resolve({ service: 's3', operation, method, path, presigned, invocation, body: '' });
}

/** Whether a function runs before the service is ready: the setup, and those of custom resources. */
export const runsAtStart = (functionName: string): boolean => /-(setup|origin-secret|edge-log)$/.test(functionName);
