import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ApiError } from '../common/errors.ts';
import { serializeSourceOptions } from '../contracts/fields/source-options.ts';
import type { DirectUpload } from '../table/records.ts';
import type { ApiEvent, Call } from './call.ts';
import { isAllowedOrigin } from './cors.ts';
import { fieldsOf } from './normalize-fields.ts';

/**
 * Rejects a request that a browser sent from a page of another origin than the upload token allows. Clients that are
 * not browsers send neither of the two headers, and browsers send no Origin with a GET to the page's own origin.
 * @throws ApiError 403
 */
export function requireAllowedOrigin(event: ApiEvent, { allowedOrigin }: DirectUpload): void {
  const { origin, 'sec-fetch-site': site } = event.headers;
  if (allowedOrigin === null || (origin === undefined && site === undefined)) return;
  const host = event.headers.host ?? event.requestContext.domainName;
  const sent =
    origin ?? (site === 'same-origin' && URL.parse(allowedOrigin)?.host === host ? allowedOrigin : undefined);
  if (sent !== allowedOrigin)
    throw new ApiError('upload_token_origin', 'This upload token is not for pages of this origin.');
}

/**
 * Replaces what the token of a direct upload fixes: the holder chooses neither the template nor the external IDs, the
 * metadata, the tags, the clip, the picture and the tracks, and the name only if the owner left it open.
 */
export function applyUploadToken(call: Call, direct: DirectUpload): void {
  const {
    templateUlid: template,
    fileName,
    externalUserId,
    externalResourceId,
    metadata,
    tags,
    sourceOptions,
  } = direct;
  // The size belongs to the file, not to the token.
  const { size } = fieldsOf(call.rawBody?.metadata);
  const fixed = {
    ...(fileName !== null && { filename: fileName }),
    metadata: {
      template,
      externalUserId,
      externalResourceId,
      metadata,
      tags,
      ...serializeSourceOptions(sourceOptions),
      ...(size !== undefined && { size }),
    },
  };
  call.rawBody = { ...call.rawBody, ...fixed };
  call.rawQuery = { ...call.rawQuery, ...fixed };
}

const objstorePath = '/api/objstore/';

/**
 * The request with the token of its path as its credential, for clients that cannot send headers, such as Uppy 6. The
 * path decides alone: other credentials of the request are not used.
 */
export function takeTokenFromPath<Event extends APIGatewayProxyEventV2>(event: Event): Event {
  const [, token, rest] = /^\/api\/direct-uploads\/([^/]+)\/s3\/(.*)$/.exec(event.rawPath) ?? [];
  if (token === undefined || rest === undefined) return event;
  const headers = { ...event.headers, authorization: `Bearer ${token}` };
  return { ...event, headers, rawPath: `${objstorePath}${rest}` };
}

/** The page's origin if it is not among the allowed origins of the service, and the request is for an upload. */
export function foreignUploadOrigin({ rawPath, headers: { origin } }: APIGatewayProxyEventV2): string | undefined {
  const isForUpload = rawPath.startsWith(objstorePath) || rawPath.startsWith('/api/s3/');
  return isForUpload && origin !== undefined && !isAllowedOrigin(origin) ? origin : undefined;
}
