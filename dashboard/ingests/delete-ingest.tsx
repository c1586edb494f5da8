import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { ConfirmDialog } from '../components/dialog.tsx';
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
  const remove = async (): Promise<void> => {
    await api.DELETE('/api/ingests/{ulid}', { params: { path: { ulid } } });
    announce(isCancel ? messages.cancelled(filename) : messages.removed(filename));
    onDeleted();
  };
  return (
    <ConfirmDialog
      title={isCancel ? messages.cancelTitle(filename) : messages.removeTitle(filename)}
      confirmLabel={isCancel ? messages.cancelConfirm : messages.remove}
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <div class="stack">
        <p>{asked === 'cancel' ? messages.cancelEffect : messages.removeEffect[asked]}</p>
        <ApiCall method="DELETE" path="/api/ingests/{ulid}" params={{ ulid }} />
      </div>
    </ConfirmDialog>
  );
}
