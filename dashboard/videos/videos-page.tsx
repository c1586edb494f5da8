import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';

export function VideosPage() {
  const messages = text.value.videos;
  const { data, error, reload } = useResource((signal) => api.GET('/api/videos', { signal }), {
    key: 'videos',
    pollSeconds: () => 5,
  });
  return (
    <>
      <PageTitle title={messages.title} />
      <ErrorNotice error={error} onRetry={reload} />
      {data?.data.length === 0 && <EmptyState title={text.value.common.none} />}
      <ul>
        {data?.data.map(({ ulid, name }) => (
          <li key={ulid}>{name}</li>
        ))}
      </ul>
    </>
  );
}
