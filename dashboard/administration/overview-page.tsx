import type { ComponentChildren } from 'preact';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Card } from '../components/card.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import { formatNumber, formatSpan, formatWatchTime } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { AdminPage } from './admin-page.tsx';
import { type Attention, attentionOf } from './overview.ts';

export const OverviewPage = () => (
  <AdminPage title={text.value.administration.title}>
    <Overview />
  </AdminPage>
);

const pollSeconds = 5;
const slowPollSeconds = 30;

function Overview() {
  const messages = text.value.administration;
  const nodes = useResource((signal) => api.GET('/api/nodes', { signal }), {
    key: 'nodes',
    pollSeconds: () => pollSeconds,
  });
  const queue = useResource((signal) => api.GET('/api/queue', { signal }), {
    key: 'queue',
    pollSeconds: () => pollSeconds,
  });
  const workers = useResource((signal) => api.GET('/api/workers', { signal }), {
    key: 'workers',
    pollSeconds: () => pollSeconds,
  });
  const users = useResource(
    (signal) => api.GET('/api/users', { params: { query: { page: 1, per_page: 1 } }, signal }),
    {
      key: 'users',
      pollSeconds: () => slowPollSeconds,
    },
  );
  const resources = [nodes, queue, workers, users];
  const failed = resources.find(({ error }) => error !== undefined);
  const isLoading = resources.some(({ data, error }) => data === undefined && error === undefined);
  const attention = attentionOf({
    nodes: nodes.data?.data,
    queue: queue.data?.data,
    workers: workers.data?.data,
  });
  const reload = (): void => {
    for (const resource of resources) resource.reload();
  };
  return (
    <>
      <ErrorNotice error={failed?.error} onRetry={reload} />
      <Card title={messages.attention}>
        {isLoading ? <Loading /> : <AttentionList attention={attention} isKnown={failed === undefined} />}
      </Card>
      <dl class="figures">
        <Health />
        <Views />
        <Figure label={messages.users.title} href="/administration/users" value={totalOf(users.data)} />
        <Figure label={messages.nodes.title} href="/administration/nodes" value={nodes.data?.data.length}>
          {nodes.data && messages.activeOf(nodes.data.data.filter(({ status }) => status === 'active').length)}
        </Figure>
        <Figure label={messages.liveWorkers} href="/administration/queue" value={workers.data?.data.length}>
          {workers.data && messages.busyWorkers(workers.data.data.filter(({ job }) => job !== null).length)}
        </Figure>
        <Figure label={messages.queuedJobs} href="/administration/queue" value={queue.data?.data.jobs}>
          {queue.data &&
            (queue.data.data.oldest_age_seconds === null
              ? messages.noJobs
              : messages.oldest(formatSpan(queue.data.data.oldest_age_seconds)))}
        </Figure>
      </dl>
      <ApiCall method="GET" path="/health" />
    </>
  );
}

/** How much was watched lately, with a link to all figures of the service. */
function Views() {
  const { views: messages } = text.value;
  const { data } = useResource((signal) => api.GET('/api/analytics', { signal }), {
    key: 'analytics',
    pollSeconds: () => slowPollSeconds,
  });
  return (
    <Figure label={messages.viewsIn30Days} href="/usage?user=all" value={data?.data.views.total}>
      {data && messages.watchedIn30Days(formatWatchTime(data.data.watched.total_seconds))}
    </Figure>
  );
}

/** Of a page or of a whole list. */
const totalOf = (list: { data: readonly unknown[]; meta?: object } | undefined): number | undefined =>
  list?.meta !== undefined && 'total' in list.meta ? Number(list.meta.total) : list?.data.length;

type FigureProps = {
  label: string;
  href: string;
  value: number | undefined;
  children?: ComponentChildren;
};

const Figure = ({ label, href, value, children }: FigureProps) => (
  <div class="card figure">
    <dt>
      <a href={href}>{label}</a>
    </dt>
    <dd class="figure-value">{value === undefined ? '–' : formatNumber(value)}</dd>
    <dd class="hint">{children}</dd>
  </div>
);

function Health() {
  const messages = text.value.administration;
  const { data, error } = useResource((signal) => api.GET('/health', { signal }), {
    key: 'health',
    pollSeconds: () => pollSeconds,
  });
  const state = error === undefined ? (data?.status ?? 'unknown') : 'failed';
  return (
    <div class="card figure">
      <dt>{messages.health}</dt>
      <dd class="figure-value">
        <span class="badge" data-status={state === 'ok' ? 'active' : state}>
          {messages.healthStates[state]}
        </span>
      </dd>
      <dd class="hint">{data !== undefined && messages.version(data.version)}</dd>
    </div>
  );
}

type AttentionListProps = {
  attention: readonly Attention[];
  /** Without this nothing is said when there is nothing. */
  isKnown: boolean;
};

function AttentionList({ attention, isKnown }: AttentionListProps) {
  const messages = text.value.administration;
  if (attention.length === 0) return isKnown ? <p>{messages.allWell}</p> : null;
  return (
    <ul class="attention">
      {attention.map((item) =>
        item.kind === 'node-failed' ? (
          <li key={item.node.id}>
            <a href={`/administration/nodes/${item.node.id}`}>{messages.nodeFailed(item.node.name)}</a>
            {item.node.last_error !== null && <p class="hint">{item.node.last_error}</p>}
          </li>
        ) : (
          <li key={item.kind}>
            <a href="/administration/queue">
              {item.kind === 'no-workers'
                ? messages.noWorkers(item.jobs)
                : messages.longWait(item.jobs, formatSpan(item.seconds))}
            </a>
          </li>
        ),
      )}
    </ul>
  );
}
