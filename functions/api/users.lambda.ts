import { abortMultipart } from '../aws/abort-multipart.ts';
import { Conflict } from '../common/errors.ts';
import { hashPassword } from '../common/password.ts';
import { readListPage } from '../contracts/fields/paging.ts';
import { userRoutes } from '../contracts/routes/user-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { respondOnce } from '../http/respond-once.ts';
import { parseQuota, serializeQuota } from '../serializers/serialize-quota.ts';
import { serializeUser } from '../serializers/serialize-user.ts';
import { removeStoragesOf } from '../storages/remove-storages.ts';
import { deleteTokens } from '../table/accounts/token-table.ts';
import {
  changePassword,
  countUsers,
  createUser,
  findUserById,
  findUsers,
  findUserToRemove,
  hideUser,
  listUserKeys,
  removeUser,
  updateUser,
} from '../table/accounts/user-table.ts';
import { giveImages } from '../table/image-table.ts';
import type { User } from '../table/records.ts';
import { giveTemplates } from '../table/template-table.ts';
import { closeUpload, listOpenUploads } from '../table/uploads/upload-table.ts';
import { deleteWebhooks } from '../table/webhooks/webhook-table.ts';

const findNamed = ({ params }: { params: { id: string } }) => findUserById(params.id);

const serializeListedUser = (user: User) => ({
  ...serializeUser(user),
  quota: serializeQuota(user.quota),
  created_at: user.createdAt,
});

const list = route(userRoutes.list, async ({ query }) => {
  const { rows, meta } = await readListPage(query, { read: listUserKeys, count: countUsers });
  return { data: (await findUsers(rows)).map(serializeListedUser), ...(meta && { meta }) };
});

const create = route(userRoutes.create, async ({ body: { is_admin: isAdmin, quota, ...fields }, user }) =>
  serializeListedUser(await createUser({ ...fields, isAdmin, quota: parseQuota(quota) }, user)),
);

const get = recordRoute(userRoutes.get, findNamed, async ({ found }) => serializeListedUser(found));

const update = recordRoute(userRoutes.update, findNamed, async ({ found, body, user }) => {
  const { is_admin, name, email, quota } = body;
  const changes = {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(is_admin !== undefined && { isAdmin: is_admin }),
    ...(quota !== undefined && { quota: parseQuota(quota) }),
  };
  return serializeListedUser(await updateUser(found, changes, user));
});

const updatePassword = recordRoute(userRoutes.updatePassword, findNamed, async ({ found, body, user }) =>
  serializeListedUser(await changePassword(found, await hashPassword(body.password), user)),
);

// Idempotent: the record is deleted last, so a second call finishes an interrupted removal.
const remove = recordRoute(
  userRoutes.remove,
  ({ params }) => findUserToRemove(params.id),
  async ({ found, user }) => {
    if (found.ulid === user.ulid) throw new Conflict('own_account', 'You cannot delete your own account.');
    await hideUser(found, user);
    await transferOwnership(found, user);
    await removeUser(found);
  },
);

async function transferOwnership(from: User, to: User): Promise<void> {
  for (const upload of await listOpenUploads(from.ulid)) {
    // Before the record is closed, so that a repeated call finds it: URLs of its parts are valid for an hour.
    if (upload.status === 'open' && upload.store === 'multipart') await abortMultipart(upload);
    await closeUpload(upload, 'ownerDeleted');
  }
  await giveImages(from.ulid, to.ulid);
  await giveTemplates(from.ulid, to.ulid);
  await deleteTokens(from.ulid);
  await deleteWebhooks(from.ulid);
  await removeStoragesOf(from.ulid);
}

export const handler = createApiHandler([list, create, get, update, updatePassword, remove], { respondOnce });
