import { useState } from 'preact/hooks';
import { decisionText } from '../../../client/texts/describe-codes.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { FailureReason } from '../../components/failure-reason.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { formatBitrate, formatBytes, formatNumber } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { type Note, notesOf, propertiesOf, type Stream, type Video } from '../video-properties.ts';
import { StreamDialog } from './stream-dialog.tsx';

type StreamsProps = { video: Video; reload(): void };
type OpenDialog = { kind: 'add' } | { kind: 'edit' | 'delete'; stream: Stream };

export function Streams({ video, reload }: StreamsProps) {
  const [dialog, setDialog] = useState<OpenDialog>();
  const messages = text.value.video;
  const close = (): void => {
    setDialog(undefined);
    reload();
  };
  return (
    <section class="stack" aria-labelledby="streams">
      <div class="page-title">
        <h2 id="streams">{messages.streams}</h2>
        {video.status === 'completed' && (
          <Button onClick={() => setDialog({ kind: 'add' })}>{messages.addStream}</Button>
        )}
      </div>
      <ul class="streams">
        {video.streams.map((stream) => (
          <StreamCard
            key={stream.ulid}
            stream={stream}
            isEditable={video.status === 'completed' && stream.type !== 'original'}
            onOpen={(kind) => setDialog({ kind, stream })}
          />
        ))}
      </ul>
      {dialog?.kind === 'add' && <StreamDialog videoId={video.id} onClose={close} />}
      {dialog?.kind === 'edit' && <StreamDialog videoId={video.id} stream={dialog.stream} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteStream stream={dialog.stream} onClose={close} />}
    </section>
  );
}

type StreamCardProps = { stream: Stream; isEditable: boolean; onOpen(kind: 'edit' | 'delete'): void };

function StreamCard({ stream, isEditable, onOpen }: StreamCardProps) {
  const { name, type, status, size, error_log, meta } = stream;
  const { common, video: messages } = text.value;
  const notes = notesOf(stream, (decision) => decisionText(text.value.codes, decision));
  const properties = propertiesOf(stream, { bitrate: formatBitrate, number: formatNumber });
  return (
    <li class="card stream">
      <div class="page-title">
        <h3>{name}</h3>
        <StatusBadge status={status} />
      </div>
      <p class="hint">
        {[messages.streamTypes[type], size !== null && formatBytes(size), meta.copied && messages.copied]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {error_log !== null && type !== 'original' && (
        <div class="field-errors">
          <FailureReason reason={error_log} />
        </div>
      )}
      <Notes title={messages.warnings} notes={notes.warnings} />
      <Notes title={messages.decisions} notes={notes.decisions} />
      <dl class="properties">
        {properties.map(({ name, value }) => (
          <>
            <dt>{messages.properties[name]}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
      {isEditable && (
        <div class="row">
          <Button onClick={() => onOpen('edit')} aria-label={`${common.edit}: ${name}`}>
            {common.edit}
          </Button>
          <Button variant="quiet" onClick={() => onOpen('delete')} aria-label={`${common.delete}: ${name}`}>
            {common.delete}
          </Button>
        </div>
      )}
    </li>
  );
}

function Notes({ title, notes }: { title: string; notes: Note[] }) {
  if (notes.length === 0) return null;
  return (
    <div class="notes">
      <h4>{title}</h4>
      <ul class="hint">
        {notes.map(({ sentence, isOfService }) => (
          <li key={sentence} {...(isOfService && { lang: 'en' })}>
            {sentence}
          </li>
        ))}
      </ul>
    </div>
  );
}

function DeleteStream({ stream: { id, name }, onClose }: { stream: Stream; onClose(): void }) {
  const { video: messages } = text.value;
  return (
    <DeleteDialog
      title={messages.deleteStream(name)}
      announcement={messages.streamDeleted}
      call={{ path: '/api/streams/{id}', params: { id } }}
      onDelete={() => api.DELETE('/api/streams/{id}', { params: { path: { id: String(id) } } })}
      onClose={onClose}
    >
      <p>{messages.deleteStreamEffect}</p>
    </DeleteDialog>
  );
}
