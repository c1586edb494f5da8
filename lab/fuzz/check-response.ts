import { strict as assert } from 'node:assert';
import type { Response } from '../../test/fixtures/call-handler.ts';
import type { Operation, ResponseCheck } from '../../test/fixtures/read-published-document.ts';

/** Traces of internals. */
const leaks =
  /\bat .*\.[cm]?[jt]s:\d+|node_modules|\/(work|tmp|var\/task|home)\/|test-table|scrypt\$|passwordHash|credentialMark|sessionGeneration|arn:aws|AKIA|ConditionalCheck|ValidationException|ZodError|TypeError|SyntaxError|RangeError|at position \d+|\bownerKey\b|"(pk|sk)"|secretAccessKey/;

/** Statuses of the router and of HTTP that operations do not list. */
const ofEvery = [404, 405, 308];

/** No header value may start another header. */
const printable = /^[\t\x20-\x7e]*$/;

/** @throws AssertionError when the OpenAPI document does not allow the response, or it reveals internals */
export function checkResponse(
  operation: Operation | undefined,
  method: string,
  answered: Response,
  check: ResponseCheck,
): void {
  const { status, headers, text, json, cookies } = answered;
  const isExpected = (status >= 200 && status < 500) || isNoProxy(operation, answered) || isNoFormat(operation, status);
  assert(isExpected, `status ${status}`);
  if (method === 'OPTIONS') assert([204, 404, 308].includes(status), `status ${status} of OPTIONS`);
  else if (operation)
    assert(
      [...Object.keys(operation.responses).map(Number), ...ofEvery].includes(status),
      `${status} is not published`,
    );
  assert.equal(headers['x-content-type-options'], 'nosniff');
  for (const [name, value] of Object.entries(headers)) {
    assert(/^[a-z-]+$/.test(name) && printable.test(value), `header ${name}: ${value}`);
    assert(!/^(server|x-powered-by)$/.test(name), `header ${name}`);
  }
  assert.equal('location' in headers, status === 308);
  for (const cookie of cookies)
    assert(/^session=[A-Za-z0-9]{0,40}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=\d+$/.test(cookie), cookie);
  assert(!leaks.test(text ?? ''), `reveals ${leaks.exec(text ?? '')?.[0]}`);
  if (status === 204) assert.equal(text, undefined);
  if (method === 'HEAD' || text === undefined) return;
  if (headers['content-type'] !== 'application/json') return;
  assert(json !== undefined, 'no JSON');
  check(operation, status, json);
}

/** The only acceptable 503: no delivery is available yet. */
const isNoProxy = (operation: Operation | undefined, { status, headers }: Response): boolean =>
  operation?.operationId === 'videoSources' && status === 503 && headers['retry-after'] === '60';

/** The only acceptable 501: oEmbed prescribes it for a format that the service does not have. */
const isNoFormat = (operation: Operation | undefined, status: number): boolean =>
  operation?.operationId === 'oembed' && status === 501;
