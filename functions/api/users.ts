import { Conflict } from '../common/errors.ts';
import { userRoutes } from '../contracts/routes/user-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { serializeUser } from '../serializers/serialize-user.ts';
import { giveTemplate, listTemplates } from '../table/accounts/template-table.ts';
import { deleteTokens } from '../table/accounts/token-table.ts';
import {
  createUser,
  findUserById,
  findUserToRemove,
  hideUser,
  listUsers,
  removeUser,
  updateUser,
} from '../table/accounts/user-table.ts';
import type { User } from '../table/records.ts';
import { closeUpload, listOpenUploads } from '../table/videos/upload-table.ts';

const named = ({ params }: { params: { id: string } }) => findUserById(params.id);

const presented = (user: User) => ({ ...serializeUser(user), created_at: user.createdAt });

const list = route(userRoutes.list, async () => ({ data: (await listUsers()).map(presented) }));

const create = route(userRoutes.create, async ({ body: { is_admin: isAdmin, ...fields }, user }) =>
  presented(await createUser({ ...fields, isAdmin }, user)),
);

const get = recordRoute(userRoutes.get, named, async ({ found }) => presented(found));

const update = recordRoute(userRoutes.update, named, async ({ found, body: { is_admin, name, email }, user }) => {
  const changes = {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(is_admin !== undefined && { isAdmin: is_admin }),
  };
  return presented(await updateUser(found, changes, user));
});

// A removal that was cut short is taken up where it stopped by the next: the record itself goes last.
const remove = recordRoute(
  userRoutes.remove,
  ({ params }) => findUserToRemove(params.id),
  async ({ found, user }) => {
    if (found.ulid === user.ulid) throw new Conflict('You cannot delete your own account.');
    await hideUser(found, user);
    await handOver(found, user);
    await removeUser(found);
  },
);

async function handOver(from: User, to: User): Promise<void> {
  for (const upload of await listOpenUploads(from.ulid)) await closeUpload(upload, 'ownerDeleted');
  for (const template of await listTemplates(from.ulid)) await giveTemplate(template.ulid, to.ulid);
  await deleteTokens(from.ulid);
}

export const handler = createApiHandler([list, create, get, update, remove]);
