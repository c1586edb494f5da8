import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { assetsPath, encodingEndings, type SiteEncoding } from '../../shared/site-manifest.ts';
import { securityHeaders } from '../http/responses.ts';
import type { Content } from './find-content.ts';
import { pageHeaders } from './page-headers.ts';

/** The response with a file or page, in the best encoding that the client accepts. */
export async function fileResponse(
  event: APIGatewayProxyEventV2,
  content: Content,
  read: (file: string) => Promise<Buffer>,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { file, contentType, hash, encodings } = content.file;
  const encoding = chooseEncoding(encodings, event.headers['accept-encoding']);
  const etag = `"${hash}${encoding === undefined ? '' : `-${encoding}`}"`;
  const headers = {
    ...securityHeaders,
    'x-request-id': event.requestContext.requestId,
    'cache-control': cacheControl(content),
    etag,
    // Whether a path shows a page depends on Accept.
    vary: content.kind === 'page' ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
    ...(content.kind === 'page' ? pageHeaders(content.name) : fileHeaders),
  };
  if (matches(event.headers['if-none-match'], etag)) return { statusCode: 304, headers };
  const bytes = event.requestContext.http.method === 'HEAD' ? undefined : await read(file + endingOf(encoding));
  return {
    statusCode: 200,
    headers: {
      ...headers,
      'content-type': contentType,
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    },
    ...(bytes ? { body: bytes.toString('base64'), isBase64Encoded: true } : { body: '' }),
  };
}

/** The viewer of the API documentation has no origin, so it loads its scripts as a page of another site does. */
const fileHeaders = { 'access-control-allow-origin': '*' };

const cacheControl = (content: Content): string =>
  content.kind === 'file' && content.path.startsWith(assetsPath) ? 'public, max-age=31536000, immutable' : 'no-cache';

const endingOf = (encoding: keyof typeof encodingEndings | undefined): string =>
  encoding === undefined ? '' : encodingEndings[encoding];

/** A server between us and the browser may have made the tag weak. */
const matches = (ifNoneMatch = '', etag: string): boolean =>
  ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);

/** The first of the available encodings that a client accepts; undefined for the plain form. */
function chooseEncoding(
  available: readonly SiteEncoding[],
  acceptEncoding: string | undefined,
): SiteEncoding | undefined {
  const accepted = new Map(
    (acceptEncoding ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
      const quality = parameters.find((one) => one.startsWith('q='));
      return [name, quality === undefined ? 1 : Number(quality.slice(2))];
    }),
  );
  return available.find((encoding) => (accepted.get(encoding) ?? accepted.get('*') ?? 0) > 0);
}
