import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { TableBox } from '../../components/table-box.tsx';
import { formatNumber, formatSpan } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { AdminPage } from '../admin-page.tsx';
import { kindsOf, type QueueData } from './queue-properties.ts';
import { WorkerTable } from './worker-table.tsx';

const pollSeconds = 3;

export function QueuePage() {
  return (
    <AdminPage title={text.value.administration.queue.title}>
      <Queue />
      <Workers />
    </AdminPage>
  );
}

function Queue() {
  const messages = text.value.administration.queue;
  const { data, error, reload } = useResource((signal) => api.GET('/api/queue', { signal }), {
    key: 'queue',
    pollSeconds: () => pollSeconds,
  });
  const queue = data?.data;
  return (
    <Card title={messages.queue}>
      <ErrorNotice error={error} onRetry={reload} />
      {queue === undefined && error === undefined && <Loading />}
      {queue !== undefined && queue.jobs === 0 && (
        <EmptyState title={messages.empty}>
          <p>{messages.emptyHint}</p>
        </EmptyState>
      )}
      {queue !== undefined && queue.jobs > 0 && <QueueTable queue={queue} />}
      <ApiCall method="GET" path="/api/queue" />
    </Card>
  );
}

function QueueTable({ queue }: { queue: QueueData }) {
  const messages = text.value.administration.queue;
  const kinds = kindsOf(queue);
  const jobsText = ({ jobs, capped }: { jobs: number; capped: boolean }): string =>
    capped ? messages.atLeast(formatNumber(jobs)) : formatNumber(jobs);
  return (
    <>
      <p>
        {messages.depth(jobsText(queue))}{' '}
        {queue.oldest_age_seconds !== null && messages.oldest(formatSpan(queue.oldest_age_seconds))}
      </p>
      <TableBox label={messages.byUser}>
        <thead>
          <tr>
            <th scope="col">{messages.user}</th>
            <th scope="col" class="numeric">
              {messages.jobs}
            </th>
            {kinds.map((kind) => (
              <th key={kind} scope="col" class="numeric">
                {messages.kinds[kind]}
              </th>
            ))}
            <th scope="col">{messages.nextWaits}</th>
          </tr>
        </thead>
        <tbody>
          {queue.users.map((entry, index) => (
            <tr key={entry.user?.ulid ?? index}>
              <th scope="row">{entry.user?.name ?? messages.deletedUser}</th>
              <td class="numeric">{jobsText(entry)}</td>
              {kinds.map((kind) => (
                <td key={kind} class="numeric">
                  {formatNumber(entry.kinds.find((one) => one.kind === kind)?.jobs ?? 0)}
                </td>
              ))}
              <td>{formatSpan(entry.next_age_seconds)}</td>
            </tr>
          ))}
        </tbody>
      </TableBox>
      <p class="hint">{messages.order}</p>
    </>
  );
}

function Workers() {
  const messages = text.value.administration.queue;
  const { data, error, reload } = useResource((signal) => api.GET('/api/workers', { signal }), {
    key: 'workers',
    pollSeconds: () => pollSeconds,
  });
  return (
    <Card title={messages.workers}>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data?.data.length === 0 && (
        <EmptyState title={messages.noWorkers}>
          <p>{messages.noWorkersHint}</p>
        </EmptyState>
      )}
      {data !== undefined && data.data.length > 0 && <WorkerTable workers={data.data} />}
      <ApiCall method="GET" path="/api/workers" />
    </Card>
  );
}
