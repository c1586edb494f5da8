import { Unauthenticated } from '../../shared/errors.ts';
import type { User } from '../../shared/records.ts';
import { extendSession, findSession, isUnderPassword } from '../../shared/table/sessions.ts';
import { findTokenBySecret, markTokenUsed } from '../../shared/table/tokens.ts';
import { findUser } from '../../shared/table/users.ts';
import type { ApiEvent } from './call.ts';
import { refuseForgery } from './forgery.ts';
import { sessionCookie } from './session-cookie.ts';

/**
 * Finds out who calls. An Authorization header, when there is one, decides alone: the cookie is not looked at.
 * @throws Unauthenticated, CsrfMismatch
 */
export async function authenticate(event: ApiEvent): Promise<void> {
  const { call } = event;
  const { fact, identify } = call.route;
  const { access } = fact;
  const authorization = event.headers.authorization;
  if (identify) {
    call.caller = await identify(authorization);
    if (call.caller === undefined) throw new Unauthenticated();
    return;
  }
  if (access === 'public') return;
  if (authorization !== undefined && access !== 'session') {
    call.user = await userOfToken(authorization);
    return;
  }
  if (authorization !== undefined || call.sessionSecret === undefined) throw new Unauthenticated();
  await signInBySession(event, call.sessionSecret);
}

async function userOfToken(authorization: string): Promise<User> {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  const token = bearer === undefined ? undefined : await findTokenBySecret(bearer);
  if (!token) throw new Unauthenticated();
  const [user] = await Promise.all([findUser(token.ownerUlid), markTokenUsed(token)]);
  if (!user) throw new Unauthenticated();
  return user;
}

async function signInBySession(event: ApiEvent, secret: string): Promise<void> {
  const session = await findSession(secret);
  const user = session && (await findUser(session.userUlid));
  if (!session || !user || !isUnderPassword(session, user)) throw new Unauthenticated();
  refuseForgery(event);
  if (await extendSession(session)) event.call.cookies.push(sessionCookie(secret));
  event.call.user = user;
  event.call.session = session;
}
