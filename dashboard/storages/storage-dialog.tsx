import { useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import { api } from '../api/client.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { onSubmit } from '../components/submit.ts';
import { text } from '../messages/messages.ts';
import { BucketFields, CredentialFields } from './storage-fields.tsx';
import {
  changesOf,
  creationOf,
  formOf,
  type Storage,
  shownFields,
  withChanges,
  withoutSecret,
} from './storage-form.ts';

type StorageDialogProps = {
  /** Without it, a storage is added. */
  storage?: Storage;
  onSaved(storage: Storage): void;
  onClose(): void;
};

/** Adds or changes a storage. The secret is only in the state of this dialog. */
export function StorageDialog({ storage, onSaved, onClose }: StorageDialogProps) {
  const { storages: messages, common } = text.value;
  const [before] = useState(() => formOf(storage));
  const [form, setForm] = useState(before);
  const body = creationOf(form);
  const changes = changesOf(before, form);
  const save = useAction(async () => {
    const { data } =
      storage === undefined
        ? await bodyOf(api.POST('/api/storages', { body }))
        : await bodyOf(api.PUT('/api/storages/{ulid}', { params: { path: { ulid: storage.ulid } }, body: changes }));
    announce(common.saved);
    onSaved(data);
  });
  const errors = fieldErrors(save.error);
  const fields = {
    form,
    errors,
    onChange: (changed: Partial<typeof form>) => setForm((form) => withChanges(form, changed)),
  };
  const shown = shownFields(form);
  const wrong = Object.keys(errors);
  const isShownAtField = wrong.length > 0 && wrong.every((field) => shown.includes(field));
  return (
    <Dialog title={storage === undefined ? messages.create : messages.edit(storage.name)} onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit(() => save.run())}>
        <BucketFields {...fields} />
        <CredentialFields {...fields} hasSecret={storage?.access_key_id != null} />
        {!isShownAtField && <ErrorNotice error={save.error} />}
        {storage === undefined ? (
          <ApiCall method="POST" path="/api/storages" body={withoutSecret(body)} />
        ) : (
          <ApiCall
            method="PUT"
            path="/api/storages/{ulid}"
            params={{ ulid: storage.ulid }}
            body={withoutSecret(changes)}
          />
        )}
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            type="submit"
            variant="primary"
            isBusy={save.isRunning}
            disabled={storage !== undefined && Object.keys(changes).length === 0}
          >
            {storage === undefined ? messages.add : common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
