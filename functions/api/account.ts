import { envOr } from '../../shared/env.ts';
import { TooManyRequests, ValidationFailed } from '../../shared/errors.ts';
import { hashPassword, verifyPassword } from '../../shared/password.ts';
import { accountRoutes } from '../../shared/routes/account.ts';
import { rateLimits } from '../../shared/routes/route-fact.ts';
import { sha256 } from '../../shared/secret.ts';
import { countRequest } from '../../shared/table/rate-limit.ts';
import { endSession, keepSession, openSession } from '../../shared/table/sessions.ts';
import { changePassword, createUser, findUserByEmail, updateUser } from '../../shared/table/users.ts';
import { rateHeaders, secondsLeft } from '../http/limit-rate.ts';
import { clearedSessionCookie, sessionCookie } from '../http/session-cookie.ts';
import { api, route } from '../http.ts';
import { presentUser } from '../present/user.ts';

const register = route(accountRoutes.register, async ({ body: { name, email, password }, cookies }) => {
  const user = await createUser({ name, email, password, isAdmin: false }, 'itself');
  cookies.push(sessionCookie((await openSession(user)).secret));
  return presentUser(user);
});

const login = route(accountRoutes.login, async ({ body: { email, password }, sourceIp, sessionSecret, ...answer }) => {
  Object.assign(answer.headers, await limitAttempts(email, sourceIp));
  const user = await findUserByEmail(email);
  const matches = await verifyPassword(password, user?.passwordHash);
  if (!user || !matches) throw new ValidationFailed({ email: ['These credentials do not match our records.'] });
  if (sessionSecret !== undefined) await endSession(sessionSecret);
  answer.cookies.push(sessionCookie((await openSession(user)).secret));
  return presentUser(user);
});

const logout = route(accountRoutes.logout, async ({ session, cookies }) => {
  if (session) await endSession(session.secret);
  cookies.splice(0, cookies.length, clearedSessionCookie);
});

const me = route(accountRoutes.me, async ({ user }) => presentUser(user));

const updateProfile = route(accountRoutes.updateProfile, async ({ body, user }) =>
  presentUser(await updateUser(user, body, user)),
);

const updatePassword = route(accountRoutes.updatePassword, async ({ body, user, session }) => {
  if (!(await verifyPassword(body.current_password, user.passwordHash))) {
    throw new ValidationFailed({ current_password: ['The password is incorrect.'] });
  }
  const changed = await changePassword(user, await hashPassword(body.password));
  if (session) await keepSession(session, changed);
  return { message: 'Password updated.' };
});

/** Guessing is slowed twice: from one address, and, more widely, from all addresses together. */
async function limitAttempts(email: string, sourceIp: string): Promise<Record<string, string>> {
  const account = sha256(email);
  const here = await countRequest(`login#${account}#${sourceIp}`, rateLimits.login);
  const everywhere = here.exceeded ? here : await countRequest(`login#${account}`, rateLimits.loginPerAccount);
  if (!everywhere.exceeded) return rateHeaders(here);
  const seconds = secondsLeft(everywhere);
  throw new TooManyRequests(seconds, {
    email: [`Too many login attempts. Please try again in ${seconds} seconds.`],
  });
}

export const handler = api([
  ...(envOr('REGISTRATION', 'on') === 'on' ? [register] : []),
  login,
  logout,
  me,
  updateProfile,
  updatePassword,
]);
