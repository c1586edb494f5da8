import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, HeadObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { Access } from '../../../shared/delivery/access-log.ts';
import { cacheControl, corsHeaders, preflightHeaders } from '../../../shared/delivery/delivered-headers.ts';
import { contentDisposition } from '../../../shared/delivery/download-name.ts';
import signedUrl from '../../../shared/delivery/signed-url.js';
import { contentTypeOf } from '../../../shared/media/content-types.ts';
import { type ClientAddress, createClientAddress } from '../../embedded-aws/http/client-address.ts';

export type ProxyOptions = {
  name: string;
  store: S3Client;
  bucket: string;
  /** Base64url secrets by key id. `keyId` is the key that the caller needs. */
  signingKeys: (keyId: string) => Record<string, string>;
  onAccess: (access: Access) => void;
  clientAddress?: ClientAddress;
  now?: () => number;
};

type Answered = { status: number; session?: string; path?: string };

/** The built-in proxy, which delivers the objects of signed paths from the store. */
export function createProxy(options: ProxyOptions) {
  const {
    name,
    store,
    bucket,
    signingKeys,
    onAccess,
    clientAddress = createClientAddress([]),
    now = Date.now,
  } = options;
  async function answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<Answered> {
    if (path === '/healthz') return send(response, 200, { status: 'ok', node: name });
    if (request.method === 'OPTIONS') {
      response.writeHead(204, preflightHeaders).end();
      return { status: 204 };
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD, OPTIONS');
      return send(response, 405, { message: 'Method not allowed.' });
    }
    const keyId = path.split('/')[2]?.split('.')[0] ?? '';
    const checked = signedUrl.checkSignedPath(path, signingKeys(keyId), Math.floor(now() / 1000));
    if (checked.status !== 200) return send(response, checked.status, { message: `Not delivered: ${checked.reason}.` });
    const { objectKey, session } = checked;
    return { ...(await deliver(request, response, objectKey)), session, path: `/${objectKey}` };
  }

  async function deliver(request: IncomingMessage, response: ServerResponse, key: string): Promise<Answered> {
    const { range, 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = request.headers;
    const since = ifModifiedSince ? new Date(ifModifiedSince) : undefined;
    const input = {
      Bucket: bucket,
      Key: key,
      ...(range && { Range: range }),
      ...(ifNoneMatch && { IfNoneMatch: ifNoneMatch }),
      ...(since && !Number.isNaN(since.getTime()) && { IfModifiedSince: since }),
    };
    const disposition = contentDisposition(request.url!);
    const abort = new AbortController();
    // After a complete response there is nothing to abort, but aborting takes processor time.
    response.once('close', () => {
      if (!response.writableFinished) abort.abort();
    });
    try {
      const found =
        request.method === 'HEAD'
          ? { ...(await store.send(new HeadObjectCommand(input), { abortSignal: abort.signal })), Body: undefined }
          : await store.send(new GetObjectCommand(input), { abortSignal: abort.signal });
      const status = found.ContentRange ? 206 : 200;
      response.writeHead(status, {
        ...corsHeaders,
        'accept-ranges': 'bytes',
        'content-type': contentTypeOf(key),
        'content-length': found.ContentLength,
        'cache-control': cacheControl(key),
        ...(disposition !== undefined && { 'content-disposition': disposition }),
        ...(found.ContentRange && { 'content-range': found.ContentRange }),
        ...(found.ETag && { etag: found.ETag }),
        ...(found.LastModified && { 'last-modified': found.LastModified.toUTCString() }),
      });
      if (found.Body) await pipeline(found.Body as Readable, response);
      else response.end();
      return { status };
    } catch (error) {
      if (response.headersSent || abort.signal.aborted) return { status: 499 };
      return refuse(response, error);
    }
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAtMs = now();
    const path = request.url!.split('?')[0]!;
    const sentBefore = request.socket.bytesWritten;
    const answered = await answer(request, response, path);
    if (path === '/healthz') return;
    onAccess({
      time: new Date(startedAtMs).toISOString(),
      node: name,
      method: request.method!,
      path: answered.path ?? path.replace(/^\/s\/[^/]*/, '/s/-').slice(0, 200),
      session: answered.session ?? '',
      status: answered.status,
      bytes: request.socket.bytesWritten - sentBefore,
      durationSeconds: (now() - startedAtMs) / 1000,
      remoteAddress: clientAddress(request),
      userAgent: request.headers['user-agent'] ?? '',
    });
  };
}

function send(response: ServerResponse, status: number, document: object): Answered {
  response
    .writeHead(status, { ...corsHeaders, 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(document));
  return { status };
}

function refuse(response: ServerResponse, error: unknown): Answered {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (status === 304) {
    response.writeHead(304, corsHeaders).end();
    return { status };
  }
  // Without the permission to list the bucket, the store answers 403 for a missing key.
  if (status === 403 || status === 404) return send(response, 404, { message: 'Not found.' });
  if (status === 416) return send(response, 416, { message: 'The range is not within the file.' });
  return send(response, 502, { message: 'The store does not respond.' });
}
