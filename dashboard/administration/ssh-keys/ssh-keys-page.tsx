import { useState } from 'preact/hooks';
import type { components } from '../../../client/api-types.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { TableBox } from '../../components/table-box.tsx';
import { formatDateTime, formatNumber } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { AdminPage } from '../admin-page.tsx';
import { AddKeyDialog } from './add-key-dialog.tsx';

type SshKey = components['schemas']['SshKey'];
type OpenDialog = { kind: 'add' } | { kind: 'delete'; sshKey: SshKey };

export function SshKeysPage() {
  const [dialog, setDialog] = useState<OpenDialog>();
  const messages = text.value.administration.sshKeys;
  return (
    <AdminPage
      title={messages.title}
      actions={
        <Button variant="primary" onClick={() => setDialog({ kind: 'add' })}>
          {messages.add}
        </Button>
      }
    >
      <p class="hint">{messages.hint}</p>
      <SshKeys dialog={dialog} setDialog={setDialog} />
    </AdminPage>
  );
}

type SshKeysProps = { dialog: OpenDialog | undefined; setDialog(dialog: OpenDialog | undefined): void };

function SshKeys({ dialog, setDialog }: SshKeysProps) {
  const { data, error, reload } = useResource((signal) => api.GET('/api/ssh-keys', { signal }), { key: 'ssh keys' });
  const messages = text.value.administration.sshKeys;
  const close = (): void => {
    setDialog(undefined);
    reload();
  };
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data?.data.length === 0 && (
        <EmptyState title={messages.empty}>
          <p>{messages.emptyHint}</p>
        </EmptyState>
      )}
      {data !== undefined && data.data.length > 0 && (
        <SshKeyTable sshKeys={data.data} onDelete={(sshKey) => setDialog({ kind: 'delete', sshKey })} />
      )}
      <ApiCall method="GET" path="/api/ssh-keys" />
      {dialog?.kind === 'add' && <AddKeyDialog onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteKey sshKey={dialog.sshKey} onClose={close} />}
    </>
  );
}

type SshKeyTableProps = { sshKeys: readonly SshKey[]; onDelete(sshKey: SshKey): void };

function SshKeyTable({ sshKeys, onDelete }: SshKeyTableProps) {
  const {
    common,
    administration: { sshKeys: messages },
  } = text.value;
  return (
    <TableBox label={messages.title}>
      <thead>
        <tr>
          <th scope="col">{common.name}</th>
          <th scope="col">{messages.type}</th>
          <th scope="col">{messages.fingerprint}</th>
          <th scope="col" class="numeric">
            {text.value.administration.nodes.title}
          </th>
          <th scope="col">{common.created}</th>
          <th scope="col">
            <span class="visually-hidden">{common.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sshKeys.map((sshKey) => (
          <tr key={sshKey.ulid}>
            <th scope="row">{sshKey.name}</th>
            <td>{sshKey.public_key.split(' ')[0]}</td>
            <td class="code">{sshKey.fingerprint}</td>
            <td class="numeric">{formatNumber(sshKey.nodes_count)}</td>
            <td>{formatDateTime(sshKey.created_at)}</td>
            <td>
              <div class="cell-actions">
                <Button
                  variant="quiet"
                  aria-label={`${common.delete}: ${sshKey.name}`}
                  onClick={() => onDelete(sshKey)}
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

function DeleteKey({ sshKey: { id, name, nodes_count }, onClose }: { sshKey: SshKey; onClose(): void }) {
  const {
    common,
    administration: { sshKeys: messages },
  } = text.value;
  const remove = async (): Promise<void> => {
    await api.DELETE('/api/ssh-keys/{id}', { params: { path: { id: String(id) } } });
    announce(messages.deleted(name));
  };
  return (
    <ConfirmDialog
      title={messages.deleteTitle(name)}
      confirmLabel={common.delete}
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{messages.deleteEffect}</p>
      {nodes_count > 0 && <p>{messages.inUse(nodes_count)}</p>}
      <ApiCall method="DELETE" path="/api/ssh-keys/{id}" params={{ id }} />
    </ConfirmDialog>
  );
}
