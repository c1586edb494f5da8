import { reasonOf } from '../../client/failure-reasons.ts';
import { shareOfVideo } from '../../client/progress.ts';
import { api } from '../api/client.ts';
import { errorText } from '../api/error-text.ts';
import { useResource } from '../api/use-resource.ts';
import { Button } from '../components/button.tsx';
import { FailureReason } from '../components/failure-reason.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { formatBytes, formatPercent, formatSpan } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { isWorking } from '../video/video-properties.ts';
import { cancel, pause, resume } from './queue.ts';
import { bytesPerSecond, secondsLeft, type UploadItem } from './upload-item.ts';

type UploadRowProps = { item: UploadItem };

export function UploadRow({ item }: UploadRowProps) {
  const { id, file, state, started, error, fault } = item;
  const messages = text.value.upload;
  return (
    <li class="upload-row">
      <div class="upload-head">
        {state === 'stored' && started ? (
          <StoredVideo ulid={started.ulid} name={file.name} />
        ) : (
          <>
            <strong class="upload-name">{file.name}</strong>
            <span class="hint">{messages.states[state]}</span>
          </>
        )}
      </div>
      {state !== 'stored' && <Progress item={item} />}
      {fault !== undefined && <p class="field-errors">{messages.faults[fault]}</p>}
      {error !== undefined && <p class="field-errors">{errorText(error)}</p>}
      <div class="row">
        {(state === 'uploading' || state === 'waiting') && (
          <Button onClick={() => pause(id)} aria-label={`${messages.pause}: ${file.name}`}>
            {messages.pause}
          </Button>
        )}
        {(state === 'paused' || state === 'failed' || state === 'interrupted') && (
          <Button onClick={() => resume(id)} aria-label={`${messages.resume}: ${file.name}`}>
            {messages.resume}
          </Button>
        )}
        {state !== 'stored' && (
          <Button
            variant="quiet"
            onClick={() => void cancel(id).catch(() => undefined)}
            aria-label={`${text.value.common.cancel}: ${file.name}`}
          >
            {text.value.common.cancel}
          </Button>
        )}
      </div>
    </li>
  );
}

function Progress({ item }: UploadRowProps) {
  const { file, sentBytes } = item;
  const messages = text.value.upload;
  const speed = bytesPerSecond(item);
  const left = secondsLeft(item);
  return (
    <>
      <progress class="progress" max={file.size} value={sentBytes} aria-label={messages.progressOf(file.name)} />
      <p class="hint">
        {[
          formatPercent(sentBytes / file.size),
          messages.sentOf(formatBytes(sentBytes), formatBytes(file.size)),
          speed !== undefined && `${formatBytes(speed)}/s`,
          left !== undefined && messages.left(formatSpan(left)),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </>
  );
}

const pollSeconds = 2;

/** The video of a finished upload. It exists as soon as the event of the store has arrived. */
function StoredVideo({ ulid, name }: { ulid: string; name: string }) {
  const messages = text.value.upload;
  const { data } = useResource((signal) => api.GET('/api/videos/{ulid}', { params: { path: { ulid } }, signal }), {
    key: ulid,
    pollSeconds: ({ data }) => (data.status === 'completed' || data.status === 'failed' ? undefined : pollSeconds),
  });
  if (data === undefined) {
    return (
      <>
        <strong class="upload-name">{name}</strong>
        <span class="hint">{messages.states.stored}</span>
      </>
    );
  }
  return (
    <>
      <a class="upload-name" href={`/videos/${ulid}`}>
        {data.data.name}
      </a>
      <span class="row">
        {isWorking(data.data) && <span class="hint">{formatPercent(shareOfVideo(data.data))}</span>}
        <StatusBadge status={data.data.status} />
      </span>
      {data.data.status === 'failed' && (
        <div class="field-errors">
          <FailureReason reason={reasonOf(data.data)} />
        </div>
      )}
    </>
  );
}
