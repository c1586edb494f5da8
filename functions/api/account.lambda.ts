import { readEnvironment } from '../../shared/environment.ts';
import { ValidationFailed } from '../common/errors.ts';
import { hashPassword, verifyPassword } from '../common/password.ts';
import { accountRoutes } from '../contracts/routes/account-routes.ts';
import { requireConfirmation } from '../http/authenticate.ts';
import { createApiHandler, route } from '../http/endpoint.ts';
import { countWrongPassword, limitPasswordAttempts, rememberNetwork } from '../http/limits/limit-passwords.ts';
import { clearedSessionCookie, sessionCookie } from '../http/session-cookie.ts';
import { serializeQuota, serializeQuotaUse } from '../serializers/serialize-quota.ts';
import { serializeUser } from '../serializers/serialize-user.ts';
import { confirmSession, endSession, keepSession, openSession } from '../table/accounts/session-table.ts';
import {
  changePassword,
  createUser,
  endAllSessions,
  findUserByEmail,
  updateUser,
} from '../table/accounts/user-table.ts';
import { readQuotaUse } from '../table/quotas/reserve.ts';
import type { User } from '../table/records.ts';

const register = route(accountRoutes.register, async ({ body: { name, email, password }, sourceIp, cookies }) => {
  const user = await createUser({ name, email, password, isAdmin: false }, 'itself');
  await rememberNetwork({ email, sourceIp });
  cookies.push(sessionCookie((await openSession(user)).secret));
  return serializeUser(user);
});

const login = route(
  accountRoutes.login,
  async ({ body: { email, password }, sourceIp, sessionSecret, ...response }) => {
    const message = 'Too many login attempts.';
    Object.assign(response.headers, await limitPasswordAttempts({ email, sourceIp, field: 'email', message }));
    const user = await findUserByEmail(email);
    const matches = await verifyPassword(password, user?.passwordHash);
    if (!user || !matches) {
      await countWrongPassword({ sourceIp });
      throw new ValidationFailed({
        email: [{ code: 'credentials', message: 'These credentials do not match our records.' }],
      });
    }
    await rememberNetwork({ email, sourceIp });
    if (sessionSecret !== undefined) await endSession(sessionSecret);
    response.cookies.push(sessionCookie((await openSession(user)).secret));
    return serializeUser(user);
  },
);

const logout = route(accountRoutes.logout, async ({ body: { everywhere }, user, session, cookies }) => {
  if (everywhere) await endAllSessions(user);
  if (session) await endSession(session.secret);
  cookies.splice(0, cookies.length, clearedSessionCookie);
});

/** @throws ValidationFailed on `field` when it is another password, TooManyRequests after many attempts */
async function checkOwnPassword(
  { email, passwordHash }: User,
  sourceIp: string,
  field: 'password' | 'current_password',
  sent: string,
): Promise<void> {
  await limitPasswordAttempts({ email, sourceIp, field, message: 'Too many attempts.' });
  if (await verifyPassword(sent, passwordHash)) return;
  await countWrongPassword({ sourceIp });
  throw new ValidationFailed({ [field]: [{ code: 'wrong_password', message: 'The password is incorrect.' }] });
}

const confirm = route(accountRoutes.confirmSession, async ({ body: { password }, user, session, sourceIp }) => {
  await checkOwnPassword(user, sourceIp, 'password', password);
  if (session) await confirmSession(session);
});

const me = route(accountRoutes.me, async ({ user }) => ({
  ...serializeUser(user),
  quota: serializeQuota(user.quota),
  usage: serializeQuotaUse(await readQuotaUse(user.ulid)),
}));

const updateProfile = route(accountRoutes.updateProfile, async ({ body, user, session }) => {
  if (body.email !== user.email) requireConfirmation({ session });
  return serializeUser(await updateUser(user, body, user));
});

const updatePassword = route(accountRoutes.updatePassword, async ({ body, user, session, sourceIp }) => {
  await checkOwnPassword(user, sourceIp, 'current_password', body.current_password);
  const changed = await changePassword(user, await hashPassword(body.password));
  if (session) await keepSession(session, changed);
  return { message: 'Password updated.' };
});

export const handler = createApiHandler([
  ...(readEnvironment('REGISTRATION') ? [register] : []),
  login,
  logout,
  confirm,
  me,
  updateProfile,
  updatePassword,
]);
