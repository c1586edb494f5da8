import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FailureReason } from '../../components/failure-reason.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { TableBox } from '../../components/table-box.tsx';
import { text } from '../../messages/messages.ts';
import { pollSeconds, type Video } from '../video-properties.ts';
import { CaptionDialog } from './caption-dialog.tsx';
import { type Caption, isPending, nameOf } from './caption-form.ts';
import { SpeechDialog } from './speech-dialog.tsx';
import { Transcript } from './transcript.tsx';

type CaptionsProps = {
  video: Video;
  onChanged(): void;
  /** Undefined while nothing plays. */
  onSeek: ((seconds: number) => void) | undefined;
};
type OpenDialog = { kind: 'add' | 'speech' } | { kind: 'replace' | 'delete'; caption: Caption };

/** Captions from speech take minutes. */
const pendingSeconds = 5;

/** The text tracks of a video: those of its source, those that were uploaded, and those of its speech. */
export function Captions({ video, onChanged, onSeek }: CaptionsProps) {
  const [dialog, setDialog] = useState<OpenDialog>();
  const { captions: messages } = text.value;
  const { ulid, status } = video;
  const { data, error, reload } = useResource(
    (signal) => api.GET('/api/videos/{ulid}/captions', { params: { path: { ulid } }, signal }),
    {
      key: `${ulid} ${status}`,
      pollSeconds: ({ data }) => Math.min(pollSeconds(video), data.some(isPending) ? pendingSeconds : Infinity),
    },
  );
  const close = (): void => setDialog(undefined);
  const change = (): void => {
    close();
    reload();
    onChanged();
  };
  const captions = data?.data ?? [];
  const pendingCount = captions.filter(isPending).length;
  const pendingBefore = useRef(0);
  // The player shows captions when they are made.
  useEffect(() => {
    if (data === undefined) return;
    if (pendingCount < pendingBefore.current) onChanged();
    pendingBefore.current = pendingCount;
  }, [data === undefined, pendingCount]);
  return (
    <section class="card" aria-labelledby="captions">
      <div class="card-head">
        <h2 id="captions">{messages.title}</h2>
        <div class="row">
          {status === 'completed' && <Button onClick={() => setDialog({ kind: 'speech' })}>{messages.speech}</Button>}
          <Button onClick={() => setDialog({ kind: 'add' })}>{messages.add}</Button>
        </div>
      </div>
      <ErrorNotice error={error} onRetry={reload} />
      {data !== undefined && captions.length === 0 && <p class="hint">{messages.empty}</p>}
      {captions.length > 0 && (
        <CaptionTable ulid={ulid} captions={captions} onOpen={(kind, caption) => setDialog({ kind, caption })} />
      )}
      <Transcript ulid={ulid} captions={captions.filter(({ url }) => url !== null)} onSeek={onSeek} />
      <ApiCall method="GET" path="/api/videos/{ulid}/captions" params={{ ulid }} />
      {dialog?.kind === 'add' && <CaptionDialog ulid={ulid} onStored={change} onClose={close} />}
      {dialog?.kind === 'speech' && <SpeechDialog ulid={ulid} onStarted={change} onClose={close} />}
      {dialog?.kind === 'replace' && (
        <CaptionDialog ulid={ulid} caption={dialog.caption} onStored={change} onClose={close} />
      )}
      {dialog?.kind === 'delete' && (
        <DeleteCaption ulid={ulid} caption={dialog.caption} onDeleted={change} onClose={close} />
      )}
    </section>
  );
}

type CaptionTableProps = {
  ulid: string;
  captions: Caption[];
  onOpen(kind: 'replace' | 'delete', caption: Caption): void;
};

function CaptionTable({ ulid, captions, onOpen }: CaptionTableProps) {
  const { common, captions: messages } = text.value;
  return (
    <TableBox label={messages.list}>
      <thead>
        <tr>
          <th scope="col">{messages.label}</th>
          <th scope="col">{messages.language}</th>
          <th scope="col">{messages.kind}</th>
          <th scope="col">{messages.origin}</th>
          <th scope="col">{common.status}</th>
          <th scope="col">{messages.actions}</th>
        </tr>
      </thead>
      <tbody>
        {captions.map((caption) => (
          <tr key={caption.ulid}>
            <th scope="row">
              {caption.label} {caption.default && <span class="badge">{messages.default}</span>}
            </th>
            <td>{caption.language}</td>
            <td>{messages.kinds[caption.kind]}</td>
            <td>{messages.origins[caption.origin]}</td>
            <td>
              <StatusBadge status={caption.status} />
              {caption.error !== null && (
                <div class="field-errors">
                  <FailureReason reason={caption.error} />
                </div>
              )}
            </td>
            <td>
              <div class="row caption-actions">
                {caption.url !== null && !isPending(caption) && (
                  <a class="button" href={editorOf(ulid, caption)} aria-label={`${messages.edit}: ${nameOf(caption)}`}>
                    {messages.edit}
                  </a>
                )}
                {caption.url !== null && (
                  <a class="button" href={caption.url} download aria-label={messages.downloadOf(nameOf(caption))}>
                    {messages.download}
                  </a>
                )}
                <Button
                  onClick={() => onOpen('replace', caption)}
                  aria-label={`${messages.replace}: ${nameOf(caption)}`}
                >
                  {messages.replace}
                </Button>
                <Button
                  variant="quiet"
                  onClick={() => onOpen('delete', caption)}
                  aria-label={`${common.delete}: ${nameOf(caption)}`}
                >
                  {common.delete}
                </Button>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}

const editorOf = (ulid: string, { language, kind }: Caption): string =>
  `/videos/${ulid}/captions/${language}?kind=${kind}`;

type DeleteCaptionProps = { ulid: string; caption: Caption; onDeleted(): void; onClose(): void };

function DeleteCaption({ ulid, caption: { language, kind, label }, onDeleted, onClose }: DeleteCaptionProps) {
  const messages = text.value.captions;
  return (
    <DeleteDialog
      title={messages.deleteTitle(label)}
      announcement={messages.deleted}
      call={{ path: '/api/videos/{ulid}/captions/{language}', params: { ulid, language }, query: { kind } }}
      onDelete={async () => {
        await api.DELETE('/api/videos/{ulid}/captions/{language}', {
          params: { path: { ulid, language }, query: { kind } },
        });
        onDeleted();
      }}
      onClose={onClose}
    >
      <p>{messages.deleteEffect}</p>
    </DeleteDialog>
  );
}
