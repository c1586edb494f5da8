import { useState } from 'preact/hooks';
import { shareOfIngest } from '../../client/progress.ts';
import { api } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { DeleteDialog } from '../components/dialogs/delete-dialog.tsx';
import { FailureReason } from '../components/failure-reason.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { TimeAgo } from '../components/time-ago.tsx';
import { formatBytes, formatPercent } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { hostOf, type Ingest, isOpen } from './ingest-properties.ts';

type IngestRowProps = {
  ingest: Ingest;
  /** Of the storage that it is fetched from; undefined for a URL, and for a storage that is deleted. */
  storageName: string | undefined;
  onDeleted(): void;
};

export function IngestRow({ ingest, storageName, onDeleted }: IngestRowProps) {
  const { ingests: messages, common } = text.value;
  const [isAsking, setIsAsking] = useState(false);
  const { ulid, url, key, filename, status, created_at } = ingest;
  const action = isOpen(ingest) ? common.cancel : messages.remove;
  return (
    <li>
      <div class="ingest-properties">
        <p class="row">
          <strong>{filename}</strong>
          <StatusBadge status={status} />
          {status === 'stored' && (
            <a href={`/videos/${ulid}`} aria-label={`${messages.toVideo}: ${filename}`}>
              {messages.toVideo}
            </a>
          )}
        </p>
        <p class="hint" title={url}>
          {key === null ? messages.from(hostOf(url)) : messages.fromStorage(storageName ?? hostOf(url), key)} ·{' '}
          <TimeAgo time={created_at} />
        </p>
        <Progress ingest={ingest} />
        {ingest.error !== null && (
          <div class="ingest-error">
            <FailureReason reason={ingest.error} causes={messages.causes} />
          </div>
        )}
      </div>
      <Button onClick={() => setIsAsking(true)} aria-label={`${action}: ${filename}`}>
        {action}
      </Button>
      {isAsking && <DeleteIngest ingest={ingest} onDeleted={onDeleted} onClose={() => setIsAsking(false)} />}
    </li>
  );
}

/** How much is received. A bar is shown while the file is being fetched and its size is known. */
function Progress({ ingest }: { ingest: Ingest }) {
  const { ingests: messages, upload } = text.value;
  const { status, filename, size, bytes_received } = ingest;
  const share = shareOfIngest(ingest);
  if (status === 'pending' || (status === 'failed' && bytes_received === 0)) return null;
  if (status === 'stored') return <p class="hint">{formatBytes(size ?? bytes_received)}</p>;
  const received =
    size === null
      ? messages.received(formatBytes(bytes_received))
      : upload.sentOf(formatBytes(bytes_received), formatBytes(size));
  return (
    <>
      {status === 'fetching' && share !== undefined && (
        <progress class="progress" max={1} value={share} aria-label={upload.progressOf(filename)} />
      )}
      <p class="hint">{share === undefined ? received : `${received} · ${formatPercent(share)}`}</p>
    </>
  );
}

type DeleteIngestProps = { ingest: Ingest; onDeleted(): void; onClose(): void };

/** Cancels an ingest, or removes one that has ended from the list. */
function DeleteIngest({ ingest: { ulid, filename, status }, onDeleted, onClose }: DeleteIngestProps) {
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
