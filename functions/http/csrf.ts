import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { readEnvironment } from '../../shared/environment.ts';
import { CsrfMismatch } from '../common/errors.ts';
import { isChange } from '../contracts/route-fact.ts';
import type { ApiEvent } from './call.ts';
import { isAllowedOrigin } from './cors.ts';

/**
 * Rejects cross-site requests that change something and are authenticated by the session cookie. Browsers send
 * Sec-Fetch-Site; older ones send Origin with a POST, and no SameSite=Lax cookie with a cross-site GET of an image.
 * Clients that are not browsers send neither header, and are not vulnerable to request forgery.
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

/** Behind the edge the host is that of the gateway, and the origin that of the edge. */
const isOwnOrigin = (origin: string, event: APIGatewayProxyEventV2): boolean =>
  origin === readEnvironment('EDGE_URL') ||
  URL.parse(origin)?.host === (event.headers.host ?? event.requestContext.domainName);
