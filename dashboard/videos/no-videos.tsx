import { EmptyState } from '../components/empty-state.tsx';
import { text } from '../messages/messages.ts';

type NoVideosProps = { isFiltered: boolean };

export function NoVideos({ isFiltered }: NoVideosProps) {
  const messages = text.value.videos;
  if (isFiltered) return <EmptyState title={messages.noMatches}>{messages.noMatchesHint}</EmptyState>;
  return (
    <EmptyState title={messages.empty}>
      <p>{messages.emptyHint}</p>
      <a class="button button-primary" href="/upload">
        {messages.uploadFirst}
      </a>
    </EmptyState>
  );
}
