import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { api } from '../../api/client.ts';
import { session } from '../../api/current-user.ts';
import { useResource } from '../../api/use-resource.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { Pager } from '../../components/pager.tsx';
import { TableBox } from '../../components/table-box.tsx';
import { formatBytes, formatCpuTime, formatDate } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { AdminPage } from '../admin-page.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { UserDialog } from './user-dialog.tsx';
import type { User } from './user-form.ts';

type OpenDialog = { kind: 'create' } | { kind: 'edit' | 'password' | 'delete'; user: User };

const perPage = 25;
const pollSeconds = 30;

export function UsersPage() {
  const [dialog, setDialog] = useState<OpenDialog>();
  const messages = text.value.administration.users;
  return (
    <AdminPage
      title={messages.title}
      actions={
        <Button variant="primary" onClick={() => setDialog({ kind: 'create' })}>
          {messages.create}
        </Button>
      }
    >
      <Users dialog={dialog} setDialog={setDialog} />
    </AdminPage>
  );
}

type UsersProps = { dialog: OpenDialog | undefined; setDialog(dialog: OpenDialog | undefined): void };

function Users({ dialog, setDialog }: UsersProps) {
  const { query, route } = useLocation();
  const page = Math.max(1, Math.trunc(Number(query.page)) || 1);
  const { data, error, reload } = useResource(
    (signal) => api.GET('/api/users', { params: { query: { page, per_page: perPage } }, signal }),
    { key: `users ${page}`, pollSeconds: () => pollSeconds },
  );
  const messages = text.value.administration.users;
  const meta = data?.meta;
  const close = (): void => {
    setDialog(undefined);
    reload();
  };
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined &&
        (data.data.length === 0 ? (
          <EmptyState title={messages.emptyPage}>
            <a href="/administration/users">{messages.firstPage}</a>
          </EmptyState>
        ) : (
          <UserTable users={data.data} onOpen={(kind, user) => setDialog({ kind, user })} />
        ))}
      {meta !== undefined && 'last_page' in meta && (
        <Pager
          page={meta.current_page}
          lastPage={meta.last_page}
          onPage={(page) => route(`/administration/users?page=${page}`)}
        />
      )}
      <ApiCall method="GET" path="/api/users" query={{ page, per_page: perPage }} />
      {dialog?.kind === 'create' && <UserDialog onClose={close} />}
      {dialog?.kind === 'edit' && <UserDialog user={dialog.user} onClose={close} />}
      {dialog?.kind === 'password' && <PasswordDialog user={dialog.user} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteUser user={dialog.user} onClose={close} />}
    </>
  );
}

type UserTableProps = { users: readonly User[]; onOpen(kind: 'edit' | 'password' | 'delete', user: User): void };

function UserTable({ users, onOpen }: UserTableProps) {
  const {
    common,
    administration: { users: messages },
  } = text.value;
  return (
    <TableBox label={messages.title}>
      <thead>
        <tr>
          <th scope="col">{common.name}</th>
          <th scope="col">{common.email}</th>
          <th scope="col">{messages.role}</th>
          <th scope="col">{messages.uploadQuota}</th>
          <th scope="col">{messages.cpuQuota}</th>
          <th scope="col">{common.created}</th>
          <th scope="col">
            <span class="visually-hidden">{common.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.ulid}>
            <th scope="row">{user.name}</th>
            <td>{user.email}</td>
            <td>{user.is_admin ? messages.administrator : messages.user}</td>
            <td>{limitText(user.quota?.upload_bytes_per_month, formatBytes)}</td>
            <td>{limitText(user.quota?.encoding_cpu_seconds_per_month, formatCpuTime)}</td>
            <td>{formatDate(user.created_at)}</td>
            <td>
              <div class="cell-actions">
                <Button aria-label={`${common.edit}: ${user.name}`} onClick={() => onOpen('edit', user)}>
                  {common.edit}
                </Button>
                <Button aria-label={`${messages.password}: ${user.name}`} onClick={() => onOpen('password', user)}>
                  {messages.password}
                </Button>
                <Button
                  variant="quiet"
                  aria-label={`${common.delete}: ${user.name}`}
                  // The service refuses it.
                  disabled={user.id === session.value?.id}
                  onClick={() => onOpen('delete', user)}
                >
                  {common.delete}
                </Button>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}

const limitText = (limit: number | null | undefined, format: (amount: number) => string): string =>
  limit === null || limit === undefined ? text.value.administration.users.noLimit : format(limit);

type DeleteUserProps = { user: User; onClose(): void };

function DeleteUser({ user: { id, name, email }, onClose }: DeleteUserProps) {
  const messages = text.value.administration.users;
  return (
    <DeleteDialog
      title={messages.deleteTitle(name)}
      announcement={messages.deleted(name)}
      call={{ path: '/api/users/{id}', params: { id } }}
      onDelete={() => api.DELETE('/api/users/{id}', { params: { path: { id: String(id) } } })}
      onClose={onClose}
    >
      <p>{messages.deleteEffect(email)}</p>
      <p class="hint">{messages.deleteCondition}</p>
    </DeleteDialog>
  );
}
