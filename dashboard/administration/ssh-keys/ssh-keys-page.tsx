import { useState } from 'preact/hooks';
import type { components } from '../../../client/api-types.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { LoadedList } from '../../components/loaded-list.tsx';
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
  const sshKeys = useResource((signal) => api.GET('/api/ssh-keys', { signal }), { key: 'ssh keys' });
  const messages = text.value.administration.sshKeys;
  const close = (): void => {
    setDialog(undefined);
    sshKeys.reload();
  };
  return (
    <>
      <LoadedList resource={sshKeys} empty={{ title: messages.empty, hint: messages.emptyHint }}>
        {({ data }) => <SshKeyTable sshKeys={data} onDelete={(sshKey) => setDialog({ kind: 'delete', sshKey })} />}
      </LoadedList>
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
  const messages = text.value.administration.sshKeys;
  return (
    <DeleteDialog
      title={messages.deleteTitle(name)}
      announcement={messages.deleted(name)}
      call={{ path: '/api/ssh-keys/{id}', params: { id } }}
      onDelete={() => api.DELETE('/api/ssh-keys/{id}', { params: { path: { id: String(id) } } })}
      onClose={onClose}
    >
      <p>{messages.deleteEffect}</p>
      {nodes_count > 0 && <p>{messages.inUse(nodes_count)}</p>}
    </DeleteDialog>
  );
}
