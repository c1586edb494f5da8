import * as z from 'zod';
import { email, newPassword } from '../fields/credential-fields.ts';
import { atLeastOne, name, timestamp } from '../fields/fields.ts';
import { listOf, listQuery, wholeOrPaged } from '../fields/paging.ts';
import { quota, quotaInput } from '../fields/quota-fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';
import { user } from './account-routes.ts';

export const userWithCreatedAt = user
  .extend({ quota: quota.nullable().meta({ description: 'null means no limit.' }), created_at: timestamp })
  .meta({ id: 'UserWithCreatedAt' });

const common = { tag: 'Users', access: 'admin', ability: 'admin' } as const;

export const userRoutes = {
  list: {
    ...common,
    operationId: 'listUsers',
    method: 'GET',
    path: '/api/users',
    summary: 'List users',
    description: `Ordered by id. ${wholeOrPaged}`,
    query: listQuery,
    status: 200,
    response: listOf(userWithCreatedAt),
  },
  create: {
    ...common,
    operationId: 'createUser',
    needsConfirmation: true,
    repeats: 'continued',
    method: 'POST',
    path: '/api/users',
    summary: 'Create a user',
    body: z.object({
      name,
      email,
      password: newPassword,
      is_admin: z.boolean().default(false),
      quota: quotaInput.nullable().default(null),
    }),
    bodyExample: { name: 'Bo', email: 'bo@example.com', password: 'long enough', is_admin: false },
    status: 201,
    response: userWithCreatedAt,
  },
  get: {
    ...common,
    operationId: 'getUser',
    method: 'GET',
    path: '/api/users/{id}',
    summary: 'Read a user',
    description: 'Not wrapped.',
    status: 200,
    response: userWithCreatedAt,
    errors: ['not_found'],
  },
  update: {
    ...common,
    operationId: 'updateUser',
    needsConfirmation: true,
    method: 'PUT',
    path: '/api/users/{id}',
    summary: 'Change a user',
    description:
      'Fields left out keep their values; quota is replaced as a whole, and null removes it. A quota below what is used already refuses new work and stops none. Removing is_admin from the last administrator answers 409. The password is changed with PUT /api/users/{id}/password.',
    body: atLeastOne(
      z.object({
        name: name.optional(),
        email: email.optional(),
        is_admin: z.boolean().optional(),
        quota: quotaInput.nullish(),
      }),
    ),
    bodyExample: { name: 'Bo B.', email: 'bo@example.com', is_admin: true },
    status: 200,
    response: userWithCreatedAt,
    errors: ['concurrent_change', 'last_administrator', 'not_found'],
  },
  updatePassword: {
    ...common,
    operationId: 'updateUserPassword',
    needsConfirmation: true,
    method: 'PUT',
    path: '/api/users/{id}/password',
    summary: "Set a user's password",
    description: "All sessions of the user end, also the caller's own. API tokens stay valid.",
    body: z.object({ password: newPassword }),
    bodyExample: { password: 'battery staple' },
    status: 200,
    response: userWithCreatedAt,
    errors: ['not_found'],
  },
  remove: {
    ...common,
    operationId: 'deleteUser',
    needsConfirmation: true,
    method: 'DELETE',
    path: '/api/users/{id}',
    summary: 'Delete a user',
    description:
      '409 while the user owns videos (reassign them with PUT /api/videos/{ulid} user_id, or delete them), when it is the caller, or the last administrator. Tokens and sessions go; open uploads are aborted; templates pass to the caller; usage and activity rows stay.',
    status: 204,
    errors: ['concurrent_change', 'last_administrator', 'not_found', 'own_account', 'user_has_videos'],
  },
} as const satisfies Record<string, RouteDeclaration>;
