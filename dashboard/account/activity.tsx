import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Card } from '../components/card.tsx';
import { CodeBox } from '../components/code-box.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import { Pager } from '../components/pager.tsx';
import { TimeAgo } from '../components/time-ago.tsx';
import { formatBytes } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { type ActivityEntry, entriesOf } from './activity-entries.ts';

export function Activity() {
  const messages = text.value.account;
  const [page, setPage] = useState(1);
  const query = { page, per_page: 15 };
  const { data, error, reload } = useResource((signal) => api.GET('/api/activity-log', { params: { query }, signal }), {
    key: `activity ${page}`,
  });
  return (
    <Card title={messages.activity}>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data?.meta.total === 0 && <EmptyState title={messages.noActivity} />}
      {data !== undefined && data.data.length > 0 && (
        <ol class="activity">
          {entriesOf(data.data).map((entry) => (
            <ActivityLine key={entry.line.id} entry={entry} />
          ))}
        </ol>
      )}
      {data !== undefined && <Pager page={page} lastPage={data.meta.last_page} onPage={setPage} />}
      <ApiCall method="GET" path="/api/activity-log" query={query} />
    </Card>
  );
}

function ActivityLine({ entry: { line, href } }: { entry: ActivityEntry }) {
  const { description, created_at, properties } = line;
  const messages = text.value.account;
  const { size, ...others } = properties;
  return (
    <li>
      <span>
        {/* The service writes its log in English. */}
        {href === undefined ? (
          <span lang="en">{description}</span>
        ) : (
          <a href={href} lang="en">
            {description}
          </a>
        )}
        {typeof size === 'number' && <span class="hint"> · {formatBytes(size)}</span>}
      </span>
      <TimeAgo time={created_at} />
      {Object.keys(others).length > 0 && (
        <details>
          <summary>{messages.activityDetails}</summary>
          <CodeBox label={messages.activityDetails} code={JSON.stringify(properties, undefined, 2)} />
        </details>
      )}
    </li>
  );
}
