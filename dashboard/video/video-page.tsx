import './video.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../client/api-error.ts';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { NotFound } from '../layout/not-found.tsx';
import { formatDateTime, formatDuration } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { Player } from '../player/player.tsx';
import { Captions } from './captions/captions.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { EmbedSection } from './embed-section.tsx';
import { JobTimeline } from './job-timeline.tsx';
import { loadSources } from './load-sources.ts';
import { Outputs } from './outputs.tsx';
import { Share } from './share.tsx';
import { Streams } from './streams/streams.tsx';
import { DeleteVideo, PosterDialog, ReprocessDialog } from './video-dialogs.tsx';
import { FailureNotice, ProgressBar } from './video-progress.tsx';
import { canProcessAgain, isWorking, plays, pollSeconds, sourceChanges, type Video } from './video-properties.ts';

type VideoPageProps = { params: { ulid: string } };

export function VideoPage({ params: { ulid } }: VideoPageProps) {
  const { data, error, reload } = useResource(
    (signal) => api.GET('/api/videos/{ulid}', { params: { path: { ulid } }, signal }),
    { key: ulid, pollSeconds: ({ data }) => pollSeconds(data) },
  );
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (data === undefined) {
    return (
      <>
        <PageTitle title={text.value.video.title} />
        {error === undefined ? (
          <p class="hint">{text.value.app.loading}</p>
        ) : (
          <ErrorNotice error={error} onRetry={reload} />
        )}
      </>
    );
  }
  return <VideoView video={data.data} reload={reload} loadError={error} />;
}

type VideoViewProps = { video: Video; reload(): void; loadError: unknown };
type OpenDialog = 'edit' | 'poster' | 'reprocess' | 'delete';

function VideoView({ video, reload, loadError }: VideoViewProps) {
  const [dialog, setDialog] = useState<OpenDialog>();
  const [captionChanges, setCaptionChanges] = useState(0);
  const messages = text.value.video;
  const close = (): void => {
    setDialog(undefined);
    reload();
  };
  return (
    <>
      <PageTitle title={video.name}>
        <Button onClick={() => setDialog('edit')}>{text.value.common.edit}</Button>
        {video.status === 'completed' && <Button onClick={() => setDialog('poster')}>{messages.choosePoster}</Button>}
        {canProcessAgain(video) && <Button onClick={() => setDialog('reprocess')}>{messages.processAgain}</Button>}
        <Button onClick={() => setDialog('delete')}>{text.value.common.delete}</Button>
      </PageTitle>
      <Summary video={video} />
      <ErrorNotice error={loadError} onRetry={reload} />
      <FailureNotice video={video} />
      {isWorking(video) && <ProgressBar video={video} />}
      {isWorking(video) && plays(video) && <p role="status">{messages.playsNow}</p>}
      {plays(video) && (
        <div class="video-main">
          <VideoPlayer key={video.ulid} video={video} captionChanges={captionChanges} />
          <div class="stack">
            <Share video={video} />
            <EmbedSection video={video} />
          </div>
        </div>
      )}
      <JobTimeline video={video} />
      <Outputs video={video} reload={reload} />
      {video.status !== 'failed' && (
        <Captions video={video} onChanged={() => setCaptionChanges((count) => count + 1)} />
      )}
      <Streams video={video} reload={reload} />
      {dialog === 'edit' && <EditDialog video={video} onClose={close} />}
      {dialog === 'poster' && <PosterDialog video={video} onClose={close} />}
      {dialog === 'reprocess' && <ReprocessDialog video={video} onClose={close} />}
      {dialog === 'delete' && <DeleteVideo video={video} onClose={() => setDialog(undefined)} />}
    </>
  );
}

function Summary({ video }: { video: Video }) {
  const { status, duration, aspect_ratio, created_at, template, externalUserId, externalResourceId, ulid } = video;
  const messages = text.value.video;
  const properties = [
    duration !== null && [messages.length, formatDuration(duration)],
    aspect_ratio !== null && [messages.aspectRatio, aspect_ratio],
    [text.value.common.created, formatDateTime(created_at)],
    template !== null && [messages.template, template.name],
    externalUserId !== null && [messages.externalUser, externalUserId],
    externalResourceId !== null && [messages.externalResource, externalResourceId],
    ['ULID', ulid],
  ].filter((property) => property !== false) as [string, string][];
  return (
    <dl class="summary">
      <div>
        <dt>{text.value.common.status}</dt>
        <dd>
          <StatusBadge status={status} />
        </dd>
      </div>
      {properties.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** `captionChanges` counts the changes of captions that the player is to show. */
type VideoPlayerProps = { video: Video; captionChanges: number };

/** The player stays while other links are loaded, so that a viewer goes on watching. */
function VideoPlayer({ video, captionChanges }: VideoPlayerProps) {
  const { ulid, name, outputs, playback, thumbnail_path } = video;
  const { data, error, reload } = useResource(() => loadSources(ulid), {
    key: `${ulid} ${sourceChanges(outputs)} ${thumbnail_path} ${captionChanges}`,
  });
  const latest = useRef(data);
  latest.current = data ?? latest.current;
  const sources = latest.current;
  // The links of a public video have no end, but stop when it is signed again. Signed links stay valid when it becomes
  // public, and its public links do not work everywhere at once.
  const areRevoked = playback === 'signed' && sources?.sources.some(({ expires_at }) => expires_at === null) === true;
  useEffect(() => {
    if (areRevoked) reload();
  }, [areRevoked]);
  return (
    <div class="stack">
      <ErrorNotice error={error} onRetry={reload} />
      {sources === undefined && error === undefined && <p class="hint">{text.value.app.loading}</p>}
      {sources !== undefined && <Player sources={sources} title={name} onExpired={reload} />}
    </div>
  );
}
