import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { DeleteDialog } from '../components/dialogs/delete-dialog.tsx';
import { text } from '../messages/messages.ts';
import { type Ingest, isOpen } from './ingest-facts.ts';

type DeleteIngestProps = { ingest: Ingest; onDeleted(): void; onClose(): void };

/** Cancels an ingest, or removes one that has ended from the list. */
export function DeleteIngest({ ingest: { ulid, filename, status }, onDeleted, onClose }: DeleteIngestProps) {
  const messages = text.value.ingests;
  // What the user has been asked stays, also when the ingest ends before the answer.
  const [asked] = useState<'cancel' | 'stored' | 'failed'>(() =>
    isOpen({ status }) ? 'cancel' : status === 'stored' ? 'stored' : 'failed',
  );
  const isCancel = asked === 'cancel';
  return (
    <DeleteDialog
      title={isCancel ? messages.cancelTitle(filename) : messages.removeTitle(filename)}
      confirmLabel={isCancel ? messages.cancelConfirm : messages.remove}
      announcement={isCancel ? messages.cancelled(filename) : messages.removed(filename)}
      call={{ path: '/api/ingests/{ulid}', params: { ulid } }}
      onDelete={async () => {
        await api.DELETE('/api/ingests/{ulid}', { params: { path: { ulid } } });
        onDeleted();
      }}
      onClose={onClose}
    >
      <p>{asked === 'cancel' ? messages.cancelEffect : messages.removeEffect[asked]}</p>
    </DeleteDialog>
  );
}
