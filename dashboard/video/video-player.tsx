import { useEffect, useRef } from 'preact/hooks';
import { useResource } from '../api/use-resource.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { text } from '../messages/messages.ts';
import { Player, type PlayerProps } from '../player/player.tsx';
import { loadSources } from './load-sources.ts';
import { sourceChanges, type Video } from './video-properties.ts';

/** `captionChanges` counts the changes of captions that the player is to show. */
type VideoPlayerProps = { video: Video; captionChanges: number } & Pick<PlayerProps, 'control' | 'onVideo'>;

/** The player stays while other links are loaded, so that a viewer goes on watching. */
export function VideoPlayer({ video, captionChanges, ...player }: VideoPlayerProps) {
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
      {sources === undefined && error === undefined && (
        <div class="player">
          <p class="player-notice">{text.value.app.loading}</p>
        </div>
      )}
      {sources !== undefined && <Player sources={sources} title={name} onExpired={reload} {...player} />}
    </div>
  );
}
