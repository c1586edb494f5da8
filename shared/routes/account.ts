import * as z from 'zod';
import { email, newPassword } from './credentials.ts';
import { message, name, ulid } from './fields.ts';
import type { RouteFact } from './route-fact.ts';

export const user = z.object({ id: z.int(), ulid, name: z.string(), email: z.string(), is_admin: z.boolean() }).meta({
  id: 'User',
  description:
    'User-shaped bodies are never wrapped in data except inside the user list. No password field ever appears.',
});

const sessionStarts = 'Set-Cookie: session=…; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=7200';
const confirmed = { password: newPassword, password_confirmation: z.string() };

/** Laravel puts the error of a wrong repetition on the password itself. */
const matching = <Schema extends z.ZodType<{ password: string; password_confirmation: string }>>(schema: Schema) =>
  schema.superRefine((body, context) => {
    if (body.password === body.password_confirmation) return;
    context.addIssue({
      code: 'custom',
      path: ['password'],
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
    description: `${sessionStarts}. Answers 404 when registration is switched off. At most 5 a minute and address.`,
    access: 'public',
    rate: 'register',
    body: matching(z.object({ name, email, ...confirmed })),
    status: 201,
    answer: user,
    errors: [404],
  },
  login: {
    operationId: 'login',
    method: 'POST',
    path: '/login',
    tag: 'Account',
    summary: 'Start a session',
    description: `${sessionStarts}. Wrong email and wrong password give the same 422. At most 5 attempts a minute for one email from one address, then 429 with errors.email.`,
    access: 'public',
    body: z.object({ email, password: z.string() }),
    status: 200,
    answer: user,
  },
  logout: {
    operationId: 'logout',
    method: 'POST',
    path: '/logout',
    tag: 'Account',
    summary: 'End the current session',
    description: 'Takes the session cookie. A copied cookie stops working too; bearer tokens live on.',
    access: 'session',
    status: 204,
  },
  me: {
    operationId: 'me',
    method: 'GET',
    path: '/api/me',
    tag: 'Account',
    summary: 'The caller',
    access: 'user',
    status: 200,
    answer: user,
  },
  updateProfile: {
    operationId: 'updateProfile',
    method: 'PUT',
    path: '/api/profile',
    tag: 'Account',
    summary: 'Change own name and email',
    access: 'user',
    body: z.object({ name, email }),
    status: 200,
    answer: user,
  },
  updatePassword: {
    operationId: 'updatePassword',
    method: 'PUT',
    path: '/api/profile/password',
    tag: 'Account',
    summary: 'Change own password',
    description: 'Other sessions end; API tokens stay. A wrong current_password is a 422 on that field.',
    access: 'user',
    body: matching(z.object({ current_password: z.string(), ...confirmed })),
    status: 200,
    answer: message,
  },
} as const satisfies Record<string, RouteFact>;
