import { useState } from 'preact/hooks';
import { decisionText } from '../../../client/texts/describe-codes.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { FailureReason } from '../../components/failure-reason.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { TableBox } from '../../components/table-box.tsx';
import { formatBitrate, formatBytes } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { type Note, notesOf, type Stream, type Video } from '../video-properties.ts';
import { StreamDialog } from './stream-dialog.tsx';
import { columnsOf, detailsOf } from './stream-properties.ts';

type RenditionsProps = { video: Video; reload(): void };
type OpenDialog = { kind: 'add' } | { kind: 'edit' | 'delete'; stream: Stream };

/** The original and what was encoded from it: a row each, with its technical details below the table. */
export function Renditions({ video, reload }: RenditionsProps) {
  const [dialog, setDialog] = useState<OpenDialog>();
  const { video: messages } = text.value;
  const isEditable = video.status === 'completed';
  const close = (): void => {
    setDialog(undefined);
    reload();
  };
  if (video.streams.length === 0) return null;
  return (
    <Card
      title={messages.renditions}
      actions={isEditable && <Button onClick={() => setDialog({ kind: 'add' })}>{messages.addStream}</Button>}
    >
      <Warnings streams={video.streams} />
      <RenditionTable
        streams={video.streams}
        isEditable={isEditable}
        onOpen={(kind, stream) => setDialog({ kind, stream })}
      />
      <TechnicalDetails streams={video.streams} />
      {dialog?.kind === 'add' && <StreamDialog videoId={video.id} onClose={close} />}
      {dialog?.kind === 'edit' && <StreamDialog videoId={video.id} stream={dialog.stream} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteStream stream={dialog.stream} onClose={close} />}
    </Card>
  );
}

type RenditionTableProps = {
  streams: readonly Stream[];
  isEditable: boolean;
  onOpen(kind: 'edit' | 'delete', stream: Stream): void;
};

function RenditionTable({ streams, isEditable, onOpen }: RenditionTableProps) {
  const { common, video: messages } = text.value;
  return (
    <TableBox label={messages.renditionsTable}>
      <thead>
        <tr>
          <th scope="col">{common.name}</th>
          <th scope="col">{messages.streamType}</th>
          <th scope="col">{messages.resolution}</th>
          <th scope="col">{messages.codec}</th>
          <th scope="col" class="numeric">
            {messages.bitrate}
          </th>
          <th scope="col" class="numeric">
            {messages.fileSize}
          </th>
          <th scope="col">{common.status}</th>
          <th scope="col">
            <span class="visually-hidden">{common.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {streams.map((stream) => (
          <RenditionRow
            key={stream.ulid}
            stream={stream}
            isEditable={isEditable && stream.type !== 'original'}
            onOpen={(kind) => onOpen(kind, stream)}
          />
        ))}
      </tbody>
    </TableBox>
  );
}

type RenditionRowProps = { stream: Stream; isEditable: boolean; onOpen(kind: 'edit' | 'delete'): void };

function RenditionRow({ stream, isEditable, onOpen }: RenditionRowProps) {
  const { name, type, status, size, error_log, meta } = stream;
  const { common, video: messages, templates } = text.value;
  const { resolution, codecs, bitrate } = columnsOf(stream);
  const codecName = (codec: string): string =>
    templates.codecs[codec as keyof typeof templates.codecs] ?? codec.toUpperCase();
  return (
    <tr>
      <th scope="row">{type === 'original' ? messages.streamTypes.original : name}</th>
      <td>
        {type === 'original' ? messages.uploadedFile : messages.streamTypes[type]}
        {meta.copied && <p class="hint">{messages.copied}</p>}
      </td>
      <td>{resolution}</td>
      <td>{codecs.map(codecName).join(', ')}</td>
      <td class="numeric">{bitrate !== undefined && formatBitrate(bitrate)}</td>
      <td class="numeric">{size !== null && formatBytes(size)}</td>
      <td>
        <StatusBadge status={status} />
        {error_log !== null && type !== 'original' && (
          <div class="field-errors">
            <FailureReason reason={error_log} />
          </div>
        )}
      </td>
      <td>
        {isEditable && (
          <div class="table-actions">
            <Button onClick={() => onOpen('edit')} aria-label={`${common.edit}: ${name}`}>
              {common.edit}
            </Button>
            <Button variant="quiet" onClick={() => onOpen('delete')} aria-label={`${common.delete}: ${name}`}>
              {common.delete}
            </Button>
          </div>
        )}
      </td>
    </tr>
  );
}

const wordedNotesOf = (stream: Stream) => notesOf(stream, (decision) => decisionText(text.value.codes, decision));

function Warnings({ streams }: { streams: readonly Stream[] }) {
  const warned = streams.filter(({ meta }) => (meta.warnings ?? []).length > 0);
  if (warned.length === 0) return null;
  return (
    <div class="notice notice-warning">
      <div>
        <h3>{text.value.video.warnings}</h3>
        {warned.map((stream) => (
          <Notes key={stream.ulid} streamName={stream.name} notes={wordedNotesOf(stream).warnings} />
        ))}
      </div>
    </div>
  );
}

function TechnicalDetails({ streams }: { streams: readonly Stream[] }) {
  const messages = text.value.video;
  return (
    <details>
      <summary>{messages.technicalDetails}</summary>
      <ul class="stream-details">
        {streams.map((stream) => (
          <li key={stream.ulid}>
            <h3>{stream.name}</h3>
            <dl>
              {detailsOf(stream).map(({ name, value }) => (
                <div key={name}>
                  <dt>{messages.streamDetails[name]}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            <Decisions notes={wordedNotesOf(stream).decisions} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Decisions({ notes }: { notes: readonly Note[] }) {
  if (notes.length === 0) return null;
  return (
    <>
      <h4>{text.value.video.decisions}</h4>
      <Notes notes={notes} />
    </>
  );
}

function Notes({ streamName, notes }: { streamName?: string; notes: readonly Note[] }) {
  return (
    <ul>
      {notes.map(({ sentence, isOfService }) => (
        <li key={sentence}>
          {streamName !== undefined && <strong>{streamName}: </strong>}
          <span {...(isOfService && { lang: 'en' })}>{sentence}</span>
        </li>
      ))}
    </ul>
  );
}

type DeleteStreamProps = { stream: Stream; onClose(): void };

function DeleteStream({ stream: { id, name }, onClose }: DeleteStreamProps) {
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
