import * as z from 'zod';
import { email, newPassword, password } from '../fields/credential-fields.ts';
import { message, name, shownText, ulid } from '../fields/fields.ts';
import { quota, quotaUse } from '../fields/quota-fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

export const user = z
  .object({
    id: z.int(),
    ulid,
    name: shownText(255),
    email: shownText(255).meta({ format: 'email' }),
    is_admin: z.boolean(),
  })
  .meta({
    id: 'User',
    description:
      'User-shaped bodies are never wrapped in data except inside the user list. No password field ever appears.',
  });

const sessionStarts = { 'Set-Cookie': 'session=…; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=7200' };
const sessionEnds = { 'Set-Cookie': 'session=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0' };
const confirmed = { password: newPassword, password_confirmation: password };

/** As in Laravel, a wrong confirmation is an error of the password field. */
const matching = <Schema extends z.ZodType<{ password: string; password_confirmation: string }>>(schema: Schema) =>
  schema.superRefine((body, context) => {
    if (body.password === body.password_confirmation) return;
    context.addIssue({
      code: 'custom',
      path: ['password'],
      params: { code: 'confirmation' },
      message: 'The password field confirmation does not match.',
    });
  });

export const accountRoutes = {
  register: {
    operationId: 'register',
    method: 'POST',
    path: '/register',
    tag: 'Account',
    summary: 'Open an account and start a session',
    description:
      'Answers 404 unless the operator has switched registration on, which is off by default. At most 5 a minute and address.',
    access: 'public',
    rate: 'register',
    body: matching(z.object({ name, email, ...confirmed })),
    bodyExample: {
      name: 'Ada Example',
      email: 'ada@example.com',
      password: 'correct horse',
      password_confirmation: 'correct horse',
    },
    status: 201,
    response: user,
    responseHeaders: sessionStarts,
    errors: ['no_such_route'],
  },
  login: {
    operationId: 'login',
    method: 'POST',
    path: '/login',
    tag: 'Account',
    summary: 'Start a session',
    description:
      'Wrong email and wrong password give the same 422. At most 5 attempts a minute for one email from one address, and 10 from all addresses without a sign-in within 90 days, then 429 with errors.email.',
    access: 'public',
    body: z.object({ email, password }),
    bodyExample: { email: 'ada@example.com', password: 'correct horse' },
    status: 200,
    response: user,
    responseHeaders: sessionStarts,
  },
  logout: {
    operationId: 'logout',
    method: 'POST',
    path: '/logout',
    tag: 'Account',
    summary: 'End the current session, or all sessions',
    description:
      'Takes the session cookie. Copies of the cookie stop working too; bearer tokens stay valid. With everywhere true, all sessions of the user end, on every device.',
    access: 'session',
    body: z.object({ everywhere: z.boolean().default(false) }),
    bodyOptional: true,
    bodyExample: { everywhere: false },
    status: 204,
    responseHeaders: sessionEnds,
  },
  confirmSession: {
    operationId: 'confirmSession',
    method: 'POST',
    path: '/api/session/confirm',
    tag: 'Account',
    summary: 'Confirm the session with the password',
    description:
      'For 15 minutes, as after the sign-in, the session may change the email, create and revoke tokens, and change users: those answer 403 with password_confirmation_required otherwise. Takes the session cookie; tokens are never asked. A wrong password is a 422 on the field. Attempts are limited together with those of /login, then 429 with errors.password.',
    access: 'session',
    body: z.object({ password }),
    bodyExample: { password: 'correct horse' },
    status: 204,
  },
  me: {
    operationId: 'me',
    method: 'GET',
    path: '/api/me',
    tag: 'Account',
    summary: 'The caller, with quota and use',
    description: 'Only administrators change the quota. null means no limit.',
    access: 'user',
    ability: '*',
    status: 200,
    response: user.extend({ quota: quota.nullable(), usage: quotaUse }).meta({ id: 'Me' }),
  },
  updateProfile: {
    operationId: 'updateProfile',
    method: 'PUT',
    path: '/api/profile',
    tag: 'Account',
    summary: 'Change own name and email',
    description: 'A new email needs a session that was confirmed within 15 minutes.',
    access: 'user',
    ability: '*',
    body: z.object({ name, email }),
    bodyExample: { name: 'Ada E.', email: 'ada@example.com' },
    status: 200,
    response: user,
    errors: ['concurrent_change', 'password_confirmation_required'],
  },
  updatePassword: {
    operationId: 'updatePassword',
    method: 'PUT',
    path: '/api/profile/password',
    tag: 'Account',
    summary: 'Change own password',
    description:
      'Other sessions end; API tokens stay. A wrong current_password is a 422 on that field. Attempts are limited together with those of /login, then 429 with errors.current_password.',
    access: 'user',
    ability: '*',
    body: matching(z.object({ current_password: password, ...confirmed })),
    bodyExample: {
      current_password: 'correct horse',
      password: 'battery staple',
      password_confirmation: 'battery staple',
    },
    status: 200,
    response: message,
  },
} as const satisfies Record<string, RouteDeclaration>;
