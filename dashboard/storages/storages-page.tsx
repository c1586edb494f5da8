import './storages.css';
import { useState } from 'preact/hooks';
import { useStorages } from '../api/use-storages.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { LoadedList } from '../components/loaded-list.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';
import { StorageDialog } from './storage-dialog.tsx';
import { StorageRow } from './storage-row.tsx';

/** What uses a storage changes by itself. */
const pollSeconds = 10;

/** Buckets of the user, from which files are fetched and to which results are delivered. */
export function StoragesPage() {
  const messages = text.value.storages;
  const [isCreating, setIsCreating] = useState(false);
  /** ULID of the storage that was added last */
  const [added, setAdded] = useState<string>();
  const storages = useStorages({ pollSeconds: () => pollSeconds });
  return (
    <>
      <PageTitle title={messages.title}>
        <Button variant="primary" onClick={() => setIsCreating(true)}>
          {messages.create}
        </Button>
      </PageTitle>
      <p class="hint">{messages.hint}</p>
      <LoadedList resource={storages} empty={{ title: messages.empty, hint: messages.emptyHint }}>
        {({ data }) => (
          <ul class="storage-list">
            {data.map((storage) => (
              <StorageRow
                key={storage.ulid}
                storage={storage}
                isNew={storage.ulid === added}
                onChanged={storages.reload}
              />
            ))}
          </ul>
        )}
      </LoadedList>
      <ApiCall method="GET" path="/api/storages" />
      {isCreating && (
        <StorageDialog
          onSaved={({ ulid }) => {
            setIsCreating(false);
            setAdded(ulid);
            storages.reload();
          }}
          onClose={() => setIsCreating(false)}
        />
      )}
    </>
  );
}
