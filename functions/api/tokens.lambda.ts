import { ValidationFailed } from '../common/errors.ts';
import { tokenRoutes } from '../contracts/routes/token-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { createToken, deleteToken, findToken, listTokens, type Token } from '../table/accounts/token-table.ts';

const list = route(tokenRoutes.list, async ({ user }) => ({ data: (await listTokens(user.ulid)).map(serializeToken) }));

const create = route(tokenRoutes.create, async ({ body: { name, abilities, expires_at: endsAt }, user }) => {
  if (abilities.includes('admin') && !user.isAdmin) {
    throw new ValidationFailed({ abilities: ['Only administrators can create tokens with the ability admin.'] });
  }
  return { token: await createToken(user.ulid, { name, abilities, endsAt }) };
});

const remove = recordRoute(
  tokenRoutes.remove,
  ({ params, user }) => findToken(user.ulid, params.id),
  ({ found }) => deleteToken(found),
);

const serializeToken = ({ id, name, abilities, endsAt, lastUsedAt, createdAt }: Token) => ({
  id,
  name,
  abilities,
  last_used_at: lastUsedAt,
  expires_at: endsAt,
  created_at: createdAt,
});

export const handler = createApiHandler([list, create, remove], { respondOnce });
