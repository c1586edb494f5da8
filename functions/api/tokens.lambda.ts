import { tokenRoutes } from '../contracts/routes/token-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { createToken, deleteToken, findToken, listTokens, type Token } from '../table/accounts/token-table.ts';

const list = route(tokenRoutes.list, async ({ user }) => ({ data: (await listTokens(user.ulid)).map(serializeToken) }));

const create = route(tokenRoutes.create, async ({ body, user }) => ({
  token: await createToken(user.ulid, body.name),
}));

const remove = recordRoute(
  tokenRoutes.remove,
  ({ params, user }) => findToken(user.ulid, params.id),
  ({ found }) => deleteToken(found),
);

const serializeToken = ({ id, name, lastUsedAt, createdAt }: Token) => ({
  id,
  name,
  abilities: ['*'],
  last_used_at: lastUsedAt,
  expires_at: null,
  created_at: createdAt,
});

export const handler = createApiHandler([list, create, remove], { respondOnce });
