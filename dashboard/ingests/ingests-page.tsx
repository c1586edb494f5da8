import '../upload/upload.css';
import './ingests.css';
import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextField } from '../components/field.tsx';
import { LoadedList } from '../components/loaded-list.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { Pager } from '../components/pager.tsx';
import { text } from '../messages/messages.ts';
import { UploadTabs } from '../upload/upload-tabs.tsx';
import { BatchList } from './batches/batch-list.tsx';
import { pollSecondsOf as pollSecondsOfBatches, shownBatches } from './batches/batch-properties.ts';
import { type IngestDialogProps, IngestForm } from './ingest-form.tsx';
import { creationOf, pollSecondsOf } from './ingest-properties.ts';
import { IngestRow } from './ingest-row.tsx';
import { StorageIngestDialog } from './storage-ingest-dialog.tsx';

/** Files that the service fetches from URLs and storages. */
export function IngestsPage() {
  const messages = text.value.ingests;
  const [creating, setCreating] = useState<'url' | 'storage'>();
  const [page, setPage] = useState(1);
  const query = { page, per_page: 15 };
  const ingests = useResource((signal) => api.GET('/api/ingests', { params: { query }, signal }), {
    key: `ingests ${page}`,
    pollSeconds: ({ data }) => pollSecondsOf(data),
  });
  const { data, reload } = ingests;
  const batches = useResource((signal) => api.GET('/api/ingests/batch', { signal }), {
    key: 'batches',
    pollSeconds: ({ data }) => pollSecondsOfBatches(data),
  });
  const shown = shownBatches(batches.data?.data ?? []);
  const usesStorage = shown.length > 0 || (data?.data.some(({ storage }) => storage !== null) ?? false);
  // An ingest has the ULID of its storage; its name is for people.
  const storages = useResource(
    async (signal) => (usesStorage ? api.GET('/api/storages', { signal }) : { response: new Response() }),
    { key: `storages ${usesStorage}` },
  );
  const nameOf = (ulid: string | null): string | undefined =>
    storages.data?.data.find((storage) => storage.ulid === ulid)?.name;
  // The last page may end while it is shown.
  if (data !== undefined && page > data.meta.last_page) queueMicrotask(() => setPage(data.meta.last_page));
  const onStarted = (): void => {
    setPage(1);
    reload();
    batches.reload();
  };
  return (
    <>
      <PageTitle title={messages.title}>
        <Button variant="primary" onClick={() => setCreating('url')}>
          {messages.create}
        </Button>
        <Button onClick={() => setCreating('storage')}>{messages.createFromStorage}</Button>
      </PageTitle>
      <UploadTabs />
      <p class="hint">{messages.hint}</p>
      <ErrorNotice error={batches.error} onRetry={batches.reload} />
      {shown.length > 0 && <BatchList batches={shown} nameOf={nameOf} onStopped={batches.reload} />}
      <LoadedList
        resource={ingests}
        empty={{ title: messages.empty, hint: messages.emptyHint }}
        isEmpty={({ meta }) => meta.total === 0}
      >
        {({ data }) => (
          <ul class="ingest-list">
            {data.map((ingest) => (
              <IngestRow key={ingest.ulid} ingest={ingest} storageName={nameOf(ingest.storage)} onDeleted={reload} />
            ))}
          </ul>
        )}
      </LoadedList>
      {data !== undefined && <Pager page={page} lastPage={data.meta.last_page} onPage={setPage} />}
      <ApiCall method="GET" path="/api/ingests" query={query} />
      {creating === 'url' && <IngestDialog onStarted={onStarted} onClose={() => setCreating(undefined)} />}
      {creating === 'storage' && <StorageIngestDialog onStarted={onStarted} onClose={() => setCreating(undefined)} />}
    </>
  );
}

/** Starts an ingest of the file at a URL. */
function IngestDialog({ onStarted, onClose }: IngestDialogProps) {
  const messages = text.value.ingests;
  const [url, setUrl] = useState('');
  return (
    <Dialog title={messages.create} onClose={onClose}>
      <IngestForm
        bodyOfForm={(named) => creationOf({ ...named, url })}
        ownFields={['url']}
        filenameHint={messages.filenameHint}
        onStarted={onStarted}
        onClose={onClose}
      >
        {(errors) => (
          <TextField
            label={messages.url}
            hint={messages.urlHint}
            type="url"
            autocomplete="off"
            value={url}
            onValue={setUrl}
            errors={errors.url}
          />
        )}
      </IngestForm>
    </Dialog>
  );
}
