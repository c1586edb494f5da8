import * as z from 'zod';
import { name, shownText, timestamp } from '../fields/fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

const token = z
  .object({
    id: z.int(),
    name: shownText(255),
    abilities: z.array(z.string()).meta({ description: "Always ['*']; abilities are not restricted." }),
    last_used_at: timestamp.nullable(),
    expires_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'Token', description: 'Never holds the secret or its hash.' });

const newToken = z
  .object({ token: z.string().regex(/^[1-9][0-9]*\|[A-Za-z0-9]{40,}$/) })
  .meta({ id: 'NewToken', description: '<token_id>|<secret>, shown once.' });

export const tokenRoutes = {
  list: {
    operationId: 'listTokens',
    method: 'GET',
    path: '/api/tokens',
    tag: 'Account',
    summary: "List the caller's tokens",
    access: 'user',
    status: 200,
    response: z.object({ data: z.array(token) }),
  },
  create: {
    operationId: 'createToken',
    repeats: 'continued',
    showsSecret: true,
    method: 'POST',
    path: '/api/tokens',
    tag: 'Account',
    summary: 'Create a token',
    description:
      'Works with the session cookie, which is needed for the first token. At most 100 tokens per user (409).',
    access: 'user',
    body: z.object({ name }),
    bodyExample: { name: 'ci' },
    status: 201,
    response: newToken,
    errors: ['token_limit'],
  },
  remove: {
    operationId: 'deleteToken',
    method: 'DELETE',
    path: '/api/tokens/{id}',
    tag: 'Account',
    summary: 'Revoke a token',
    description: 'Own tokens only (404 otherwise). A token may revoke itself.',
    access: 'user',
    status: 204,
    errors: ['not_found'],
  },
} as const satisfies Record<string, RouteDeclaration>;
