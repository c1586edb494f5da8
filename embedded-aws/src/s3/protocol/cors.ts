import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BucketSettings, CorsRule } from './bucket-settings.ts';
import { S3Error } from './s3-errors.ts';

/** A pattern may contain one `*`, which matches any text. */
function matches(pattern: string, value: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === value;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return value.length >= before.length + after.length && value.startsWith(before) && value.endsWith(after);
}

function findRule(rules: CorsRule[], origin: string, method: string, headers: string[]): CorsRule | undefined {
  return rules.find(
    (rule) =>
      rule.allowedOrigins.some((pattern) => matches(pattern, origin)) &&
      rule.allowedMethods.includes(method) &&
      headers.every((name) => rule.allowedHeaders.some((pattern) => matches(pattern.toLowerCase(), name))),
  );
}

function setRuleHeaders(response: ServerResponse, rule: CorsRule, origin: string): void {
  if (rule.allowedOrigins.includes('*')) {
    response.setHeader('Access-Control-Allow-Origin', '*');
  } else {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Credentials', 'true');
  }
  response.setHeader('Access-Control-Allow-Methods', rule.allowedMethods.join(', '));
  if (rule.exposedHeaders.length > 0) {
    response.setHeader('Access-Control-Expose-Headers', rule.exposedHeaders.join(', '));
  }
  if (rule.maxAgeSeconds !== undefined) response.setHeader('Access-Control-Max-Age', rule.maxAgeSeconds);
}

const vary = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

/** Called before anything can fail: a page can read an error response only if it has these headers. */
export function setCorsHeaders(request: IncomingMessage, response: ServerResponse, bucket: BucketSettings): void {
  const { origin } = request.headers;
  if (bucket.cors.length > 0) response.setHeader('Vary', vary);
  const rule = origin === undefined ? undefined : findRule(bucket.cors, origin, request.method ?? '', []);
  if (rule && origin !== undefined) setRuleHeaders(response, rule, origin);
}

/** Answers a preflight request. @throws BadRequest, AccessForbidden */
export function respondPreflight(request: IncomingMessage, response: ServerResponse, bucket: BucketSettings): void {
  const { origin } = request.headers;
  const method = request.headers['access-control-request-method'];
  if (origin === undefined) throw new S3Error('BadRequest', 'Insufficient information. Origin request header needed.');
  if (method === undefined) throw new S3Error('BadRequest', 'Invalid Access-Control-Request-Method: null');
  if (bucket.cors.length === 0)
    throw new S3Error('AccessForbidden', 'CORSResponse: CORS is not enabled for this bucket.');
  const headers = (request.headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const rule = findRule(bucket.cors, origin, method, headers);
  if (!rule) {
    throw new S3Error(
      'AccessForbidden',
      "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
      { details: { Method: method, ResourceType: 'OBJECT' } },
    );
  }
  response.setHeader('Vary', vary);
  setRuleHeaders(response, rule, origin);
  if (headers.length > 0) response.setHeader('Access-Control-Allow-Headers', headers.join(', '));
  response.setHeader('Content-Length', 0);
  response.statusCode = 200;
  response.end();
}
