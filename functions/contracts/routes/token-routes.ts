import * as z from 'zod';
import { name, shownText, timestamp } from '../fields/fields.ts';
import { futureInstant } from '../fields/instant.ts';
import { type RouteDeclaration, tokenAbilities } from '../route-declaration.ts';

const ability = z.enum(tokenAbilities).meta({
  id: 'TokenAbility',
  description: '* is everything. admin is for administrators, whose tokens without it act as those of other users.',
});

const newAbilities = z
  .array(z.enum(tokenAbilities, { error: `The abilities are ${tokenAbilities.join(', ')}.` }))
  .min(1)
  .max(tokenAbilities.length)
  .refine((all) => new Set(all).size === all.length, { error: 'The abilities field has a duplicate value.' })
  .refine((all) => !all.includes('*') || all.length === 1, {
    error: 'The abilities field must have either * alone or other abilities.',
  });

const token = z
  .object({
    id: z.int(),
    name: shownText(255),
    abilities: z.array(ability).meta({ description: 'What the token may do. Each operation names what it needs.' }),
    last_used_at: timestamp.nullable().meta({ description: 'The hour in which it was used last.' }),
    expires_at: timestamp
      .nullable()
      .meta({ description: 'null: never. An expired token stays in the list for 30 days.' }),
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
    ability: '*',
    status: 200,
    response: z.object({ data: z.array(token) }),
  },
  create: {
    operationId: 'createToken',
    needsConfirmation: true,
    repeats: 'continued',
    showsSecret: true,
    method: 'POST',
    path: '/api/tokens',
    tag: 'Account',
    summary: 'Create a token',
    description:
      'Works with the session cookie, which is needed for the first token. At most 100 tokens per user (409). With abilities, the token may do only what they allow, otherwise everything. It is answered 401 with token_expired from expires_at on.',
    access: 'user',
    ability: '*',
    body: z.object({
      name,
      abilities: newAbilities.default(['*']),
      expires_at: futureInstant.nullable().default(null),
    }),
    bodyExample: { name: 'ci', abilities: ['uploads:write', 'videos:read'] },
    status: 201,
    response: newToken,
    errors: ['token_limit'],
  },
  remove: {
    operationId: 'deleteToken',
    needsConfirmation: true,
    method: 'DELETE',
    path: '/api/tokens/{id}',
    tag: 'Account',
    summary: 'Revoke a token',
    description: 'Own tokens only (404 otherwise). A token may revoke itself.',
    access: 'user',
    ability: '*',
    status: 204,
    errors: ['not_found'],
  },
} as const satisfies Record<string, RouteDeclaration>;
