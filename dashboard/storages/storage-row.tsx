import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { DeleteDialog } from '../components/dialogs/delete-dialog.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { text } from '../messages/messages.ts';
import { RolePolicies } from './policy-box.tsx';
import { StorageDialog } from './storage-dialog.tsx';
import { isUsed, providerOf, type Storage } from './storage-form.ts';
import { TestStorage } from './test-storage.tsx';

type StorageRowProps = {
  storage: Storage;
  /** It was just added, so it is tried at once. */
  isNew: boolean;
  onChanged(): void;
};

export function StorageRow({ storage, isNew, onChanged }: StorageRowProps) {
  const { storages: messages, common } = text.value;
  const [dialog, setDialog] = useState<'test' | 'policies' | 'edit' | 'delete' | undefined>(isNew ? 'test' : undefined);
  const { name, endpoint, bucket, prefix, region, access_key_id, role_arn, used_by } = storage;
  const close = (): void => setDialog(undefined);
  return (
    <li>
      <div class="storage-head">
        <p class="row">
          <strong>{name}</strong>
          <span class="badge">{messages.providers[providerOf(endpoint)]}</span>
        </p>
        <div class="row">
          <Button onClick={() => setDialog('test')} aria-label={`${messages.test}: ${name}`}>
            {messages.test}
          </Button>
          {role_arn !== null && (
            <Button onClick={() => setDialog('policies')} aria-label={`${messages.policies}: ${name}`}>
              {messages.policies}
            </Button>
          )}
          <Button onClick={() => setDialog('edit')} aria-label={`${common.edit}: ${name}`}>
            {common.edit}
          </Button>
          <Button onClick={() => setDialog('delete')} aria-label={`${common.delete}: ${name}`}>
            {common.delete}
          </Button>
        </div>
      </div>
      <dl class="properties">
        <dt>{messages.bucket}</dt>
        <dd>
          <code>{`s3://${bucket}/${prefix}`}</code>
        </dd>
        <dt>{endpoint === null ? messages.region : messages.endpoint}</dt>
        <dd>
          <code>{endpoint ?? region}</code>
        </dd>
        <dt>{role_arn === null ? messages.accessKey : messages.role}</dt>
        <dd>
          <code>{role_arn ?? access_key_id}</code>
        </dd>
        <dt>{messages.usedBy}</dt>
        <dd>{isUsed(storage) ? messages.uses(used_by) : messages.unused}</dd>
      </dl>
      {dialog === 'test' && (
        <TestStorage storage={storage} isNew={isNew} onEdit={() => setDialog('edit')} onClose={close} />
      )}
      {dialog === 'policies' && (
        <Dialog title={messages.policiesOf(name)} onClose={close}>
          <RolePolicies storage={storage} />
          <div class="dialog-actions">
            <Button variant="primary" onClick={close}>
              {common.close}
            </Button>
          </div>
        </Dialog>
      )}
      {dialog === 'edit' && (
        <StorageDialog
          storage={storage}
          onSaved={() => {
            close();
            onChanged();
          }}
          onClose={close}
        />
      )}
      {dialog === 'delete' && <DeleteStorage storage={storage} onDeleted={onChanged} onClose={close} />}
    </li>
  );
}

type DeleteStorageProps = { storage: Storage; onDeleted(): void; onClose(): void };

/** While something uses the storage, it says by what instead of asking. */
function DeleteStorage({ storage, onDeleted, onClose }: DeleteStorageProps) {
  const { storages: messages, common } = text.value;
  const { ulid, name, used_by } = storage;
  if (isUsed(storage)) {
    return (
      <Dialog title={messages.usedTitle(name)} onClose={onClose}>
        <p>{messages.usedReason(messages.uses(used_by))}</p>
        <ApiCall method="DELETE" path="/api/storages/{ulid}" params={{ ulid }} />
        <div class="dialog-actions">
          <Button variant="primary" onClick={onClose}>
            {common.close}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <DeleteDialog
      title={messages.deleteTitle(name)}
      announcement={messages.deleted(name)}
      call={{ path: '/api/storages/{ulid}', params: { ulid } }}
      onDelete={async () => {
        await api.DELETE('/api/storages/{ulid}', { params: { path: { ulid } } });
        onDeleted();
      }}
      onClose={onClose}
    >
      <p>{messages.deleteEffect}</p>
    </DeleteDialog>
  );
}
