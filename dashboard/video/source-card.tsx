import { useRef, useState } from 'preact/hooks';
import { api, client } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FailureReason } from '../components/failure-reason.tsx';
import { formatBytes, formatDateTime, formatPercent } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { isWorking, type Video } from './video-properties.ts';

type SourceCardProps = { video: Video; reload(): void };

/** The uploaded file of a video: its download and its replacement, or when it was deleted. */
export function SourceCard({ video, reload }: SourceCardProps) {
  const { ulid, streams, replace_error: replaceError } = video;
  const messages = text.value.video;
  const original = streams.find(({ type }) => type === 'original');
  if (!original) return null;
  const { size, source_deleted_at: deletedAt } = original;
  return (
    <Card title={messages.uploadedFile}>
      {replaceError !== null && (
        <div class="notice notice-error">
          <div>
            <p>{messages.replaceFailed}</p>
            <FailureReason reason={replaceError} />
          </div>
        </div>
      )}
      {deletedAt === null ? (
        <>
          {size !== null && <p class="hint">{formatBytes(size)}</p>}
          <Download ulid={ulid} />
          {!isWorking(video) && <Replace ulid={ulid} reload={reload} />}
        </>
      ) : (
        <p>{messages.sourceDeleted(formatDateTime(deletedAt))}</p>
      )}
    </Card>
  );
}

function Download({ ulid }: Pick<Video, 'ulid'>) {
  const download = useAction(async () => {
    const { data } = await api.GET('/api/videos/{ulid}/original', { params: { path: { ulid } } });
    // The response is an attachment: the page stays.
    if (data) location.assign(data.url);
  });
  return (
    <>
      <div class="row">
        <Button isBusy={download.isRunning} onClick={() => download.run()}>
          {text.value.video.downloadOriginal}
        </Button>
      </div>
      <ErrorNotice error={download.error} />
      <ApiCall method="GET" path="/api/videos/{ulid}/original" params={{ ulid }} />
    </>
  );
}

type ReplaceProps = Pick<Video, 'ulid'> & { reload(): void };

/** Uploads another file for the video, which plays as before until that one is encoded. */
function Replace({ ulid, reload }: ReplaceProps) {
  const [share, setShare] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const messages = text.value.video;
  const replace = useAction(async (file: File) => {
    setShare(0);
    await client.upload(file, {
      filename: file.name,
      replaces: ulid,
      onProgress: ({ sentBytes, totalBytes }) => setShare(sentBytes / totalBytes),
    });
    announce(messages.replaceStarted);
    reload();
  });
  const choose = (event: Event): void => {
    const field = event.currentTarget as HTMLInputElement;
    const file = field.files?.[0];
    if (file) void replace.run(file);
    // The same file can be chosen again.
    field.value = '';
  };
  return (
    <>
      <div class="row">
        <Button isBusy={replace.isRunning} onClick={() => input.current?.click()}>
          {messages.replaceSource}
        </Button>
        <span class="hint">{messages.replaceHint}</span>
      </div>
      <input ref={input} type="file" hidden onChange={choose} aria-label={messages.replaceSource} />
      {replace.isRunning && (
        <div class="video-progress">
          <progress class="progress" max={1} value={share} aria-label={messages.replaceProgress} />
          <span>{formatPercent(share)}</span>
        </div>
      )}
      <ErrorNotice error={replace.error} />
    </>
  );
}
