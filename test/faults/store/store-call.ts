import type { IncomingMessage } from 'node:http';

/** A request to the object store or the table, as it is told from outside. */
export type StoreCall = {
  service: 's3' | 'dynamodb';
  /** DynamoDB's name of the operation; S3's method with what its query says it is about, such as `POST uploads` */
  operation: string;
  method: string;
  /** made with a URL that was signed for a worker. Uploaders have such URLs for their parts, and ask for others by themselves */
  presigned: boolean;
  /** the same each time that a client of the SDK tries a call again; empty for other clients */
  invocation: string;
  /** what DynamoDB is asked for, as JSON; empty for S3 */
  body: string;
};

const about = ['uploads', 'uploadId', 'tagging', 'delete', 'list-type'];

/** What is neither for a service whose operations are headers, nor for Lambda. */
export const isForStore = ({ headers, url = '' }: IncomingMessage): boolean =>
  headers['x-amz-target'] === undefined && !url.startsWith('/2015-03-31/');

/** Undefined for calls of the other services behind the same address. */
export function storeCallOf(request: IncomingMessage, readBody: () => Promise<string>): Promise<StoreCall> | undefined {
  const { headers, method = '', url = '' } = request;
  const invocation = String(headers['amz-sdk-invocation-id'] ?? '');
  const target = String(headers['x-amz-target'] ?? '');
  if (target.startsWith('DynamoDB_')) {
    const operation = target.split('.')[1] ?? '';
    return readBody().then((body) => ({ service: 'dynamodb', operation, method, presigned: false, invocation, body }));
  }
  if (!isForStore(request)) return undefined;
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  const operation = [method, ...about.filter((name) => query.has(name))].join(' ');
  const isPart = method === 'PUT' && url.includes('/uploads/');
  const presigned = query.has('X-Amz-Signature') && !isPart;
  return Promise.resolve({ service: 's3', operation, method, presigned, invocation, body: '' });
}
