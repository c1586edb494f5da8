import { useState } from 'preact/hooks';
import { shareOfBatch } from '../../../client/progress.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { FailureReason } from '../../components/failure-reason.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { text } from '../../messages/messages.ts';
import type { Batch } from './batch-properties.ts';

type BatchListProps = {
  batches: readonly Batch[];
  nameOf(storage: string): string | undefined;
  onStopped(): void;
};

/** Imports of all files below a prefix, with their counts. */
export const BatchList = ({ batches, nameOf, onStopped }: BatchListProps) => (
  <section class="stack" aria-labelledby="batches">
    <h2 id="batches">{text.value.ingests.batch.title}</h2>
    <ul class="ingest-list">
      {batches.map((batch) => (
        <BatchRow key={batch.ulid} batch={batch} storageName={nameOf(batch.storage)} onStopped={onStopped} />
      ))}
    </ul>
  </section>
);

type BatchRowProps = { batch: Batch; storageName: string | undefined; onStopped(): void };

function BatchRow({ batch, storageName, onStopped }: BatchRowProps) {
  const { batch: messages } = text.value.ingests;
  const [isAsking, setIsAsking] = useState(false);
  const { ulid, status, prefix, error, created_at } = batch;
  const name = [storageName, prefix].filter(Boolean).join(': ') || batch.storage;
  const share = shareOfBatch(batch);
  return (
    <li>
      <div class="ingest-properties">
        <p class="row">
          <strong class="batch-name">{name}</strong>
          <span class="badge" data-status={badges[status]}>
            {messages.states[status]}
          </span>
        </p>
        <p class="hint">
          {messages.counts(batch)} · <TimeAgo time={created_at} />
        </p>
        {share !== undefined && (
          <progress class="progress" max={1} value={share} aria-label={messages.progressOf(name)} />
        )}
        {error !== null && (
          <div class="ingest-error">
            <FailureReason reason={error} />
          </div>
        )}
      </div>
      {status === 'listing' && (
        <Button onClick={() => setIsAsking(true)} aria-label={`${messages.stop}: ${name}`}>
          {messages.stop}
        </Button>
      )}
      {isAsking && (
        <DeleteDialog
          title={messages.stopTitle(name)}
          confirmLabel={messages.stop}
          announcement={messages.stopped}
          call={{ path: '/api/ingests/batch/{ulid}', params: { ulid } }}
          onDelete={async () => {
            await api.DELETE('/api/ingests/batch/{ulid}', { params: { path: { ulid } } });
            onStopped();
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>{messages.stopEffect}</p>
        </DeleteDialog>
      )}
    </li>
  );
}

/** The colours of the badges are those of other statuses. */
const badges: Record<Batch['status'], string> = {
  listing: 'running',
  fetching: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};
