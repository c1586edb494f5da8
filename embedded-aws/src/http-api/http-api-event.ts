import type { IncomingMessage } from 'node:http';
import type { MatchedRoute } from './http-api-router.ts';

/** Bodies of these types are passed to the function as text, all others as base64. */
const textTypes = /^(text\/|application\/(json|javascript|xml|[^;]+\+(json|xml)))/i;

export type RequestProperties = { requestId: string; accountId: string; timeMs: number; sourceIp: string };

/** Creates an event of payload format 2.0. */
export function requestEvent(
  request: IncomingMessage,
  body: Buffer,
  { route, pathParameters }: MatchedRoute,
  { requestId, accountId, timeMs, sourceIp }: RequestProperties,
) {
  const [rawPath, rawQueryString] = splitTarget(request.url!);
  const { cookie, ...headers } = joinedHeaders(request.rawHeaders);
  const host = headers.host ?? '';
  const isText = textTypes.test(headers['content-type'] ?? '') && !headers['content-encoding'];
  return {
    version: '2.0',
    routeKey: route.routeKey,
    rawPath,
    rawQueryString,
    ...(cookie !== undefined && { cookies: cookie.split(/;\s*|,\s*/).filter(Boolean) }),
    headers,
    ...(rawQueryString !== '' && { queryStringParameters: joinedQuery(rawQueryString) }),
    ...(pathParameters && { pathParameters }),
    requestContext: {
      accountId,
      apiId: 'local',
      domainName: host,
      domainPrefix: host.split('.')[0],
      http: {
        method: request.method!,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey: route.routeKey,
      stage: '$default',
      time: commonLogTime(timeMs),
      timeEpoch: timeMs,
    },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

export type RequestEvent = ReturnType<typeof requestEvent>;

/**
 * The path of a request target, decoded, and its query string as it was sent. Routes and functions see the decoded
 * path, so an encoded slash separates parts like any other.
 */
export function splitTarget(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [decoded(target), ''] : [decoded(target.slice(0, mark)), target.slice(mark + 1)];
}

/** AWS does not document what it does with a path that cannot be decoded. Here it stays as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Header names in lower case. Repeated headers are joined by commas. */
function joinedHeaders(rawHeaders: string[]): Record<string, string> {
  const headers: Record<string, string> = withoutPrototype();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    const value = rawHeaders[index + 1]!;
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return headers;
}

/** Without a prototype, so that a header or parameter named `constructor` is not mistaken for an existing one. */
const withoutPrototype = (): Record<string, string> => Object.create(null);

function joinedQuery(rawQueryString: string): Record<string, string> {
  const parameters: Record<string, string> = withoutPrototype();
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    parameters[name] = parameters[name] === undefined ? value : `${parameters[name]},${value}`;
  }
  return parameters;
}

/** `21/Nov/2026:11:32:00 +0000` */
function commonLogTime(timeMs: number): string {
  const [, day, month, year, time] = new Date(timeMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
