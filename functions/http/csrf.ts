import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { CsrfMismatch } from '../common/errors.ts';
import { isChange } from '../contracts/route-fact.ts';
import type { ApiEvent } from './call.ts';
import { isAllowedOrigin } from './cors.ts';

/**
 * Refuses a change that rides on the session cookie from another site. The browser says so itself (Sec-Fetch-Site); an older one sends at least an
 * Origin with a POST, and no cookie with a GET for an image. A client that is no browser sends neither, and nobody can make it ride along.
 * @throws CsrfMismatch
 */
export function rejectCsrf(event: ApiEvent): void {
  if (!isChange(event.call.route.fact)) return;
  const site = event.headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site === 'cross-site' || site === 'same-site') throw new CsrfMismatch();
    return;
  }
  const origin = event.headers.origin;
  if (origin !== undefined && !isOwnOrigin(origin, event) && !isAllowedOrigin(origin)) throw new CsrfMismatch();
}

const isOwnOrigin = (origin: string, event: APIGatewayProxyEventV2): boolean =>
  URL.parse(origin)?.host === (event.headers.host ?? event.requestContext.domainName);
