import { useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import { api } from '../api/client.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { useResource } from '../api/use-resource.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Loading } from '../components/loading.tsx';
import { onSubmit } from '../components/submit.ts';
import { text } from '../messages/messages.ts';
import { lastTemplate, TemplateChoice } from '../upload/template-choice.tsx';
import { keyInOther, type Storage, storageCreationOf } from './ingest-properties.ts';

type StorageIngestDialogProps = { onStarted(): void; onClose(): void };

/** Starts an ingest of a file in a storage of the user. Without any storage, it says how to add one. */
export function StorageIngestDialog({ onStarted, onClose }: StorageIngestDialogProps) {
  const { ingests: messages, common } = text.value;
  const { data, error, reload } = useResource((signal) => api.GET('/api/storages', { signal }), { key: 'storages' });
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
        <IngestForm storages={storages} onStarted={onStarted} onClose={onClose} />
      ) : (
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
        </div>
      )}
    </Dialog>
  );
}

type IngestFormProps = StorageIngestDialogProps & { storages: readonly Storage[] };

/** It keeps its values on an error. */
function IngestForm({ storages, onStarted, onClose }: IngestFormProps) {
  const { ingests: messages, common } = text.value;
  const [storage, setStorage] = useState(storages[0]!);
  const [key, setKey] = useState(storage.prefix);
  const [filename, setFilename] = useState('');
  const [template, setTemplate] = useState(lastTemplate);
  const body = storageCreationOf({ storage: storage.ulid, key, filename, template });
  const start = useAction(async () => {
    const { data } = await bodyOf(api.POST('/api/ingests', { body }));
    announce(messages.started(data.filename));
    onClose();
    onStarted();
  });
  const choose = (ulid: string): void => {
    const chosen = storages.find((one) => one.ulid === ulid)!;
    setKey(keyInOther(key, storage, chosen));
    setStorage(chosen);
  };
  const errors = fieldErrors(start.error);
  const isShownAtField = ['storage', 'key', 'filename'].some((field) => field in errors);
  return (
    <form class="form" noValidate onSubmit={onSubmit(() => start.run())}>
      <SelectField
        label={messages.storage}
        value={storage.ulid}
        onValue={choose}
        options={storages.map(({ ulid, name, bucket }) => ({ value: ulid, label: `${name} (${bucket})` }))}
        errors={errors.storage}
      />
      <TextField
        label={messages.storageKey}
        hint={messages.storageKeyHint(storage.prefix)}
        autocomplete="off"
        value={key}
        onValue={setKey}
        errors={errors.key}
      />
      <TextField
        label={messages.filename}
        hint={messages.storageFilenameHint}
        isOptional
        autocomplete="off"
        value={filename}
        onValue={setFilename}
        errors={errors.filename}
      />
      <TemplateChoice value={template} onValue={setTemplate} />
      {!isShownAtField && <ErrorNotice error={start.error} />}
      <ApiCall method="POST" path="/api/ingests" body={body} />
      <div class="dialog-actions">
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" variant="primary" isBusy={start.isRunning} disabled={template === ''}>
          {messages.start}
        </Button>
      </div>
    </form>
  );
}
