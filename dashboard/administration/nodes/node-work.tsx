import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { formatNumber } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { WorkerTable } from '../work/worker-table.tsx';
import type { Node } from './node-properties.ts';

const pollSeconds = 5;

/** The jobs that wait for a node and those that it does. A proxy has none. */
export const NodeWork = ({ node }: { node: Node }) => (node.type === 'proxy' ? null : <WorkOfNode node={node} />);

function WorkOfNode({ node }: { node: Node }) {
  const messages = text.value.administration.nodes;
  const params = { path: { id: String(node.id) } };
  const queue = useResource((signal) => api.GET('/api/nodes/{id}/pending-jobs', { params, signal }), {
    key: `queue of ${node.id}`,
    pollSeconds: () => pollSeconds,
  });
  const workers = useResource((signal) => api.GET('/api/workers', { signal }), {
    key: 'workers',
    pollSeconds: () => pollSeconds,
  });
  const own = workers.data?.data.filter((worker) => worker.node?.id === node.id) ?? [];
  return (
    <Card title={messages.queue}>
      <ErrorNotice error={queue.error ?? workers.error} onRetry={queue.reload} />
      {queue.data === undefined && queue.error === undefined && <Loading />}
      {queue.data !== undefined && (
        <dl class="properties">
          <dt>{messages.pendingJobs}</dt>
          <dd>{formatNumber(queue.data.pending)}</dd>
          <dt>{messages.reservedJobs}</dt>
          <dd>{formatNumber(queue.data.reserved)}</dd>
        </dl>
      )}
      {own.length > 0 && <WorkerTable workers={own} isOfOneNode />}
      <ApiCall method="GET" path="/api/nodes/{id}/pending-jobs" params={{ id: node.id }} />
    </Card>
  );
}
