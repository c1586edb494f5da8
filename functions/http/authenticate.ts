import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { readEnvironment } from '../../shared/environment.ts';
import { CsrfMismatch, PasswordConfirmationRequired, TokenExpired, Unauthenticated } from '../common/errors.ts';
import { isChange, type TokenAbility } from '../contracts/route-declaration.ts';
import { extendSession, findSession, isAccepted, isConfirmed, type Session } from '../table/accounts/session-table.ts';
import { checkToken, isExpired, markTokenUsed } from '../table/accounts/token-table.ts';
import { findUser } from '../table/accounts/user-table.ts';
import type { DirectUpload, User } from '../table/records.ts';
import type { ApiEvent, Call, Route } from './call.ts';
import { isAllowedOrigin } from './cors.ts';
import { countInvalidCredential, rejectThrottledNetwork, rememberValidCredential } from './limits/limit-credentials.ts';
import { sessionCookie } from './session-cookie.ts';
import { requireAllowedOrigin } from './upload-token.ts';

/** The user of a valid credential. An invalid token can still contain the ID of the account that it belongs to. */
type CheckedCredential =
  | { user: User; session?: Session; direct?: DirectUpload; abilities?: readonly TokenAbility[] }
  | { user?: never; ownerUlid?: string | undefined; expiredAt?: string };

/**
 * Sets the call's user, or its caller if the route identifies one. If there is an Authorization header, the session
 * cookie is ignored.
 * @throws Unauthenticated, TokenExpired, CsrfMismatch, TooManyRequests after many invalid credentials
 */
export async function authenticate(event: ApiEvent): Promise<void> {
  const { call } = event;
  const { declaration, identify } = call.route;
  const { access } = declaration;
  const { authorization } = event.headers;
  if (identify) {
    call.caller = await identify(authorization);
    if (call.caller === undefined) throw new Unauthenticated();
    return;
  }
  if (access === 'public') return;
  if (authorization !== undefined && access === 'session') throw new Unauthenticated();
  const credential = authorization ?? call.sessionSecret;
  if (!credential) throw new Unauthenticated();

  rejectThrottledNetwork(call, credential);
  const checked = await (authorization === undefined
    ? checkSession(credential)
    : checkAuthorization(authorization, call.route));
  if (!checked.user) {
    await countInvalidCredential(call, checked.ownerUlid);
    throw checked.expiredAt === undefined ? new Unauthenticated() : new TokenExpired(checked.expiredAt);
  }
  rememberValidCredential(credential);
  call.user = checked.user;
  call.abilities = checked.abilities;
  if (checked.direct) return acceptUploadToken(event, checked.direct);
  if (!checked.session) return;
  rejectCsrf(event);
  if (await extendSession(checked.session)) call.cookies.push(sessionCookie(credential));
  call.session = checked.session;
}

/** @throws ApiError 403 when the request comes from a page of another origin */
function acceptUploadToken(event: ApiEvent, direct: DirectUpload): void {
  // The origin of the request may be that of another token.
  if (event.uploadOrigin !== direct.allowedOrigin) event.uploadOrigin = undefined;
  requireAllowedOrigin(event, direct);
  event.call.direct = direct;
}

/**
 * Refuses a session whose user has not given the password for 15 minutes: somebody else may use the computer. Tokens
 * are not asked, since programs have no password.
 * @throws PasswordConfirmationRequired
 */
export function requireConfirmation({ session }: Pick<Call, 'session'>): void {
  if (session && !isConfirmed(session)) throw new PasswordConfirmationRequired();
}

async function checkAuthorization(
  authorization: string,
  { checkUploadToken }: Pick<Route, 'checkUploadToken'>,
): Promise<CheckedCredential> {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (bearer?.includes('_') && checkUploadToken) {
    const { direct, ownerUlid, user: known } = await checkUploadToken(bearer);
    const user = direct && (known ?? (await findUser(direct.ownerUlid)));
    return user ? { user, direct } : { ownerUlid: direct ? undefined : ownerUlid };
  }
  const { token, ownerUlid, user: owner } = bearer === undefined ? {} : await checkToken(bearer);
  if (!token) return { ownerUlid };
  if (isExpired(token)) return { expiredAt: token.endsAt };
  const [user] = await Promise.all([owner ?? findUser(token.ownerUlid), markTokenUsed(token)]);
  return user ? { user, abilities: token.abilities } : {};
}

async function checkSession(secret: string): Promise<CheckedCredential> {
  const { session, user: owner } = await findSession(secret);
  const user = session && (owner ?? (await findUser(session.userUlid)));
  return session && user && isAccepted(session, user) ? { user, session } : {};
}

/**
 * Rejects cross-site requests that change something and are authenticated by the session cookie. Browsers send
 * Sec-Fetch-Site; older ones send Origin with a POST, and no SameSite=Lax cookie with a cross-site GET of an image.
 * Clients that are not browsers send neither header, and are not vulnerable to request forgery.
 * @throws CsrfMismatch
 */
function rejectCsrf(event: ApiEvent): void {
  if (!isChange(event.call.route.declaration)) return;
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
