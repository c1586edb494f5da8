import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Billed, Meter } from '../account/meter.ts';
import type { Verifier } from '../iam/verify-signature.ts';
import { postObject } from './forms/post-object.ts';
import { readForService, type ServiceRead, type ServiceReadResult } from './objects/read-for-service.ts';
import type { S3Options } from './protocol/bucket-settings.ts';
import { respondPreflight, setCorsHeaders } from './protocol/cors.ts';
import { defaultMinUploadRate, receivedBody } from './protocol/received-body.ts';
import { parseTarget } from './protocol/request-target.ts';
import { S3Error } from './protocol/s3-errors.ts';
import { authenticate, maxSkewMs } from './requests/authenticate.ts';
import { type Exchange, respond } from './requests/exchange.ts';
import { requirePermission } from './requests/s3-access.ts';
import { findRoute, type Route } from './s3-routes.ts';
import { applyLifecycle, type LifecycleResult } from './storage/lifecycle.ts';
import { openStore } from './storage/object-store.ts';

export type { BucketSettings, CorsRule, ObjectEvent, S3Options } from './protocol/bucket-settings.ts';

// After an error, the rest of a body is read up to these limits, so that the client receives the response instead of a
// connection reset.
const drainedBytes = 64 * 1024 * 1024;
const drainedMs = 30_000;

export type S3 = {
  /** Answers one request with a path-style URL. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Reads an object for another service of the stack. */
  read(read: ServiceRead): Promise<ServiceReadResult>;
  /** Aborts uploads and expires objects by the lifecycle rules of the buckets. Call it about once a day. */
  applyLifecycle(now: Date): Promise<LifecycleResult>;
  /** Call it when no request is open. Events that are not delivered are delivered after the next start. */
  close(): Promise<void>;
  /** Keeps the files of removed objects, for a backup that copies them. */
  holdBlobs(): { release(): void };
};

/**
 * Opens the buckets in `options.folder`. Every change that was answered with success survives a kill of the process.
 */
export async function openS3(options: S3Options): Promise<S3> {
  const store = await openStore(options);
  const { region, findPrincipal: find, minUploadRate = defaultMinUploadRate, meter } = options;
  const verifier: Verifier = { region, service: 's3', find, now: store.now, maxSkewMs };

  return {
    async handle(request, response) {
      const body = receivedBody(request, minUploadRate);
      const requestId = randomBytes(8).toString('hex').toUpperCase();
      response.setHeader('x-amz-request-id', requestId);
      response.setHeader('x-amz-id-2', randomBytes(32).toString('base64'));
      response.setHeader('Server', 'AmazonS3');
      response.setHeader('Date', store.now().toUTCString());
      try {
        await perform({ request, response, store, body, verifier, meter });
      } catch (error) {
        respondError(request, response, error, requestId);
      }
      drain(request);
    },
    read(read) {
      meter?.('store reads', 1, folderOf(read.key));
      return readForService(store, read);
    },
    applyLifecycle: (now) => applyLifecycle(store, now),
    close: store.close,
    holdBlobs: store.blobs.hold,
  };
}

type Performing = Pick<Exchange, 'request' | 'response' | 'store' | 'body'> & {
  verifier: Verifier;
  meter: Meter | undefined;
};

async function perform({ request, response, store, body, verifier, meter }: Performing): Promise<void> {
  if (!store.isWritable()) throw new S3Error('InternalError');
  const method = request.method ?? '';
  const target = parseTarget(request.url ?? '');
  const bucket = store.buckets.get(target.bucket);
  const noBucket = () => new S3Error('NoSuchBucket', undefined, { details: { BucketName: target.bucket } });

  if (bucket) setCorsHeaders(request, response, bucket);
  if (method === 'OPTIONS') {
    if (!bucket) throw noBucket();
    return respondPreflight(request, response, bucket);
  }
  const form =
    method === 'POST' && target.key === '' && /^multipart\/form-data/i.test(request.headers['content-type'] ?? '');
  if (form && request.headers.authorization === undefined) {
    if (!bucket) throw noBucket();
    meter?.('store writes', 1, 'uploads/');
    return postObject(request, response, { store, bucket, verifier, body });
  }
  const authentication = authenticate(request, target, verifier);
  if (target.bucket === '') throw new S3Error('NotImplemented');
  if (!bucket) throw noBucket();
  const route = findRoute(request, target);
  if (authentication.presigned && !route.presigned) {
    throw new S3Error('AccessDenied', 'Presigned URLs are accepted only for objects and parts of uploads.');
  }
  const exchange = { request, response, target, authentication, bucket, region: verifier.region, store, body };
  if (route.action) requirePermission(exchange, route.action);
  const billed = billedOf(method, route);
  if (billed) meter?.(billed, 1, folderOf(target.key));
  await route.operation(exchange);
}

/** What a use of the store is metered under. */
export const folderOf = (key: string): string => key.slice(0, key.indexOf('/') + 1);

/** Lists cost as much as writes; deletions, also of several objects, are free. */
function billedOf(method: string, { action }: Route): Billed | undefined {
  if (method === 'DELETE' || action === undefined) return undefined;
  const isRead = (method === 'GET' || method === 'HEAD') && !action.startsWith('s3:List');
  return isRead ? 'store reads' : 'store writes';
}

// Headers that an error response keeps. All others were set for the successful response.
const onEveryResponse = /^(x-amz-request-id|x-amz-id-2|server|date|vary|strict-transport-security|access-control-.*)$/;

function respondError(request: IncomingMessage, response: ServerResponse, error: unknown, requestId: string): void {
  if (response.headersSent || response.destroyed || request.errored) {
    response.destroy(); // the client is gone, or must notice that the body is incomplete
    return;
  }
  if (!(error instanceof S3Error)) console.error(error);
  const known = error instanceof S3Error ? error : new S3Error('InternalError');
  response.statusCode = known.status;
  if (known.code === 'NotModified') {
    response.end();
    return;
  }
  for (const name of response.getHeaderNames()) if (!onEveryResponse.test(name)) response.removeHeader(name);
  for (const [name, value] of Object.entries(known.headers)) response.setHeader(name, value);
  if (known.code === 'RequestTimeout') response.setHeader('Connection', 'close');
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  respond({ response }, known.status, {
    root: 'Error',
    content: { Code: known.code, Message: known.message, ...known.details, RequestId: requestId },
  });
}

/** Reads the rest of the body after an error, so that the client receives the response. */
function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let left = drainedBytes;
  const timer = setTimeout(() => request.destroy(), drainedMs).unref();
  request.once('close', () => clearTimeout(timer));
  request.removeAllListeners('readable'); // the abandoned iterator would keep the stream paused
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  request.on('error', () => {}); // the client closed the connection
}
