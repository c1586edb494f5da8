import { useResource } from '../api/use-resource.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { text } from '../messages/messages.ts';
import { Player } from '../player/player.tsx';
import { loadSources } from './load-sources.ts';
import { sourceChanges, type Video } from './video-facts.ts';

/** `captionChanges` counts the changes of captions that the player is to show. */
type VideoPlayerProps = { video: Video; captionChanges: number };

export function VideoPlayer({ video: { ulid, name, outputs }, captionChanges }: VideoPlayerProps) {
  const { data, error, reload } = useResource(() => loadSources(ulid), {
    key: `${ulid} ${sourceChanges(outputs)} ${captionChanges}`,
  });
  if (error !== undefined) return <ErrorNotice error={error} onRetry={reload} />;
  if (data === undefined) return <p class="hint">{text.value.app.loading}</p>;
  return <Player sources={data} title={name} onExpired={reload} />;
}
