import { useState } from 'preact/hooks';
import type { fieldErrors } from '../api/error-text.ts';
import { useStorages } from '../api/use-storages.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Loading } from '../components/loading.tsx';
import { text } from '../messages/messages.ts';
import { BatchForm } from './batches/batch-form.tsx';
import { type IngestDialogProps, IngestForm } from './ingest-form.tsx';
import { keyInOther, type Storage, storageCreationOf } from './ingest-properties.ts';

/** Imports one file of a storage of the user, or all below a prefix. Without any storage, it says how to add one. */
export function StorageIngestDialog({ onStarted, onClose }: IngestDialogProps) {
  const { ingests: messages, common } = text.value;
  const { data, error, reload } = useStorages();
  const storages = data?.data;
  return (
    <Dialog title={messages.createFromStorage} onClose={onClose}>
      <ErrorNotice error={error} onRetry={reload} />
      {storages === undefined && error === undefined && <Loading />}
      {storages?.length === 0 && (
        <EmptyState title={messages.noStorages}>
          <a href="/storages">{messages.toStorages}</a>
        </EmptyState>
      )}
      {storages !== undefined && storages.length > 0 ? (
        <ImportForm storages={storages} onStarted={onStarted} onClose={onClose} />
      ) : (
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
        </div>
      )}
    </Dialog>
  );
}

type ImportFormProps = IngestDialogProps & { storages: readonly Storage[] };

/** One file of a storage, or all below a prefix. What was typed is kept when the other is chosen. */
function ImportForm({ storages, onStarted, onClose }: ImportFormProps) {
  const messages = text.value.ingests;
  const [storage, setStorage] = useState(storages[0]!);
  const [key, setKey] = useState(storage.prefix);
  const [what, setWhat] = useState<'one' | 'all'>('one');
  const choose = (ulid: string): void => {
    const chosen = storages.find((one) => one.ulid === ulid)!;
    setKey(keyInOther(key, storage, chosen));
    setStorage(chosen);
  };
  const storageField = (errors: ReturnType<typeof fieldErrors>) => (
    <SelectField
      label={messages.storage}
      value={storage.ulid}
      onValue={choose}
      options={storages.map(({ ulid, name, bucket }) => ({ value: ulid, label: `${name} (${bucket})` }))}
      errors={errors.storage}
    />
  );
  return (
    <div class="form">
      <SelectField
        label={messages.what}
        value={what}
        onValue={(what) => setWhat(what === 'all' ? 'all' : 'one')}
        options={(['one', 'all'] as const).map((value) => ({ value, label: messages.whats[value] }))}
      />
      {what === 'all' ? (
        <BatchForm storage={storage.ulid} prefix={key} onPrefix={setKey} onStarted={onStarted} onClose={onClose}>
          {storageField}
        </BatchForm>
      ) : (
        <IngestForm
          bodyOfForm={(named) => storageCreationOf({ ...named, storage: storage.ulid, key })}
          ownFields={['storage', 'key']}
          filenameHint={messages.storageFilenameHint}
          onStarted={onStarted}
          onClose={onClose}
        >
          {(errors) => (
            <>
              {storageField(errors)}
              <TextField
                label={messages.storageKey}
                hint={messages.storageKeyHint(storage.prefix)}
                autocomplete="off"
                value={key}
                onValue={setKey}
                errors={errors.key}
              />
            </>
          )}
        </IngestForm>
      )}
    </div>
  );
}
