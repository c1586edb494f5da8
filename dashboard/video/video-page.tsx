import './video.css';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
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
import type { PlayerControl } from '../player/playback.tsx';
import { Captions } from './captions/captions.tsx';
import { ClipDialog } from './clip-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { EmbedSection } from './embed-section.tsx';
import { JobTimeline } from './job-timeline.tsx';
import { Outputs } from './outputs.tsx';
import { PosterDialog } from './poster-dialog.tsx';
import { Renditions } from './renditions/rendition-table.tsx';
import { Share } from './share.tsx';
import { SourceCard } from './source-card.tsx';
import { StorageDeliveries } from './storage-deliveries/storage-deliveries.tsx';
import { TagList } from './tag-list.tsx';
import { DeleteVideo, ReprocessDialog } from './video-dialogs.tsx';
import { VideoPlayer } from './video-player.tsx';
import { FailureNotice, ProgressBar } from './video-progress.tsx';
import { canProcessAgain, isWorking, plays, pollSeconds, type Video } from './video-properties.ts';
import { ViewsSection } from './views/views-section.tsx';
import { VisibilityBadge, VisibilityButton, VisibilityDialog } from './visibility.tsx';

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
type OpenDialog = 'edit' | 'visibility' | 'poster' | 'clip' | 'reprocess' | 'delete';

function VideoView({ video, reload, loadError }: VideoViewProps) {
  const { route } = useLocation();
  const [dialog, setDialog] = useState<OpenDialog>();
  const [captionChanges, setCaptionChanges] = useState(0);
  const player = useRef<PlayerControl>(null);
  const messages = text.value.video;
  const close = (): void => {
    setDialog(undefined);
    reload();
  };
  const captionsAndOutputs = (
    <>
      {video.status !== 'failed' && (
        <Captions
          video={video}
          onChanged={() => setCaptionChanges((count) => count + 1)}
          onSeek={plays(video) ? (seconds) => player.current?.seek(seconds) : undefined}
        />
      )}
      <Outputs video={video} reload={reload} />
      <StorageDeliveries video={video} />
    </>
  );
  return (
    <>
      <PageTitle title={video.name}>
        <Button onClick={() => setDialog('edit')}>{text.value.common.edit}</Button>
        {video.status === 'completed' && <Button onClick={() => setDialog('poster')}>{messages.poster}</Button>}
        {video.status === 'completed' && <Button onClick={() => setDialog('clip')}>{messages.clip}</Button>}
        {canProcessAgain(video) && <Button onClick={() => setDialog('reprocess')}>{messages.processAgain}</Button>}
        {video.status !== 'failed' && (
          <VisibilityButton playback={video.playback} onClick={() => setDialog('visibility')} />
        )}
        <Button variant="quiet" onClick={() => setDialog('delete')}>
          {text.value.common.delete}
        </Button>
      </PageTitle>
      <Summary video={video} />
      <ErrorNotice error={loadError} onRetry={reload} />
      <FailureNotice video={video} />
      {isWorking(video) && <ProgressBar video={video} />}
      {isWorking(video) && plays(video) && <p role="status">{messages.playsNow}</p>}
      {plays(video) && (
        <div class="video-main">
          <div class="stack">
            <VideoPlayer key={video.ulid} video={video} captionChanges={captionChanges} control={player} />
            {captionsAndOutputs}
          </div>
          <div class="stack">
            <Share video={video} />
            <EmbedSection video={video} onVisibility={() => setDialog('visibility')} />
          </div>
        </div>
      )}
      {!plays(video) && captionsAndOutputs}
      {video.status === 'completed' && <ViewsSection ulid={video.ulid} />}
      <SourceCard video={video} reload={reload} />
      <Renditions video={video} reload={reload} />
      <JobTimeline video={video} />
      {dialog === 'edit' && <EditDialog video={video} onClose={close} />}
      {dialog === 'visibility' && <VisibilityDialog video={video} onClose={close} />}
      {dialog === 'poster' && <PosterDialog video={video} onClose={close} />}
      {dialog === 'clip' && (
        <ClipDialog
          video={video}
          onMade={(made) => {
            setDialog(undefined);
            route(`/videos/${made}`);
          }}
          onClose={close}
        />
      )}
      {dialog === 'reprocess' && <ReprocessDialog video={video} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteVideo video={video} onDeleted={() => route('/')} onClose={() => setDialog(undefined)} />
      )}
    </>
  );
}

function Summary({ video }: { video: Video }) {
  const { status, playback, duration, aspect_ratio, created_at, expires_at, template, ulid } = video;
  const { externalUserId, externalResourceId, metadata, tags, clip, source_video } = video;
  const { common, video: messages } = text.value;
  const properties = (
    [
      [common.status, <StatusBadge status={status} />],
      [messages.visibility, <VisibilityBadge playback={playback} />],
      [messages.length, duration !== null && formatDuration(duration)],
      [messages.partOf, clip !== null && <ClipOf clip={clip} sourceVideo={source_video} />],
      [messages.aspectRatio, aspect_ratio],
      [common.created, formatDateTime(created_at)],
      [messages.template, template !== null && <a href={`/templates/${template.ulid}`}>{template.name}</a>],
      [messages.tags, tags.length > 0 && <TagList tags={tags} />],
      [messages.expiry, expires_at !== null && formatDateTime(expires_at)],
      [messages.externalUser, externalUserId],
      [messages.externalResource, externalResourceId],
      ['ULID', <code>{ulid}</code>],
      ...Object.entries(metadata).map(([key, value]) => [key, <bdi>{value}</bdi>] as const),
    ] as const
  ).filter(([, value]) => value !== null && value !== false);
  return (
    <dl class="summary">
      {properties.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type ClipOfProps = { clip: NonNullable<Video['clip']>; sourceVideo: string | null };

/** The times of a clip in its source, with a link to the video that it was made of. */
function ClipOf({ clip: { start_seconds, end_seconds }, sourceVideo }: ClipOfProps) {
  const shown = `${formatDuration(start_seconds ?? 0)} – ${end_seconds === null ? text.value.video.end : formatDuration(end_seconds)}`;
  return sourceVideo === null ? shown : <a href={`/videos/${sourceVideo}`}>{shown}</a>;
}
