import { ApiError } from '../../../client/api-error.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { formatAgo } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import type { Node } from './node-properties.ts';

/** Each request opens an SSH connection to the server. */
const pollSeconds = 20;

/** The containers that run on the server now. */
export function Containers({ node }: { node: Node }) {
  const messages = text.value.administration.nodes;
  return (
    <Card title={messages.containers}>
      {node.host_key_fingerprint === null ? (
        <p class="hint">{messages.containersLater}</p>
      ) : (
        // What runs on the server changes with the status.
        <ContainerList key={node.status} node={node} />
      )}
      <ApiCall method="GET" path="/api/nodes/{id}/containers" params={{ id: node.id }} />
    </Card>
  );
}

function ContainerList({ node }: { node: Node }) {
  const messages = text.value.administration.nodes;
  const params = { path: { id: String(node.id) } };
  const { data, error, isLoading, reload } = useResource(
    (signal) => api.GET('/api/nodes/{id}/containers', { params, signal }),
    { key: `containers of ${node.id}`, pollSeconds: () => pollSeconds },
  );
  if (error instanceof ApiError && error.status === 502) {
    // The service says why the server cannot be reached.
    return (
      <div class="notice notice-error" role="alert">
        <p>{error.message}</p>
        <Button onClick={reload}>{text.value.common.retry}</Button>
      </div>
    );
  }
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {isLoading && data === undefined && <Loading />}
      {data?.data.length === 0 && <p class="hint">{messages.noContainers}</p>}
      {data !== undefined && data.data.length > 0 && (
        <ul class="containers">
          {data.data.map(({ id, name, state, status, image, created_at }) => (
            <li key={id}>
              <strong>{name}</strong>{' '}
              <span class="badge" data-status={state === 'running' ? 'active' : 'failed'}>
                {messages.containerStates[state]}
              </span>
              <p class="hint">
                {status} · {formatAgo(created_at)}
              </p>
              <p class="hint">
                <code>{image}</code>
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
