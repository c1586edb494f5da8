import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { LoadedList } from '../../components/loaded-list.tsx';
import { TableBox } from '../../components/table-box.tsx';
import { text } from '../../messages/messages.ts';
import { AdminPage } from '../admin-page.tsx';
import { NodeBadge, NodeHealthText } from './node-badge.tsx';
import { NodeDialog } from './node-dialog.tsx';
import { isBusy, type Node } from './node-properties.ts';

const pollSeconds = 10;
const busyPollSeconds = 2;

export function NodesPage() {
  const [isRegistering, setIsRegistering] = useState(false);
  const { route } = useLocation();
  const messages = text.value.administration.nodes;
  return (
    <AdminPage title={messages.title} actions={<FirstAction onRegister={() => setIsRegistering(true)} />}>
      <p class="hint">{messages.hint}</p>
      <Nodes />
      {isRegistering && (
        <NodeDialog
          onSaved={(node) => route(`/administration/nodes/${node.id}`)}
          onClose={() => setIsRegistering(false)}
        />
      )}
    </AdminPage>
  );
}

/** Whether there is no SSH key yet, without which no node can be registered. */
function useNeedsKey(): boolean {
  const { data } = useResource((signal) => api.GET('/api/ssh-keys', { signal }), { key: 'ssh keys' });
  return data?.data.length === 0;
}

function FirstAction({ onRegister }: { onRegister(): void }) {
  const messages = text.value.administration.nodes;
  return useNeedsKey() ? (
    <a class="button button-primary" href="/administration/ssh-keys">
      {messages.addKey}
    </a>
  ) : (
    <Button variant="primary" onClick={onRegister}>
      {messages.register}
    </Button>
  );
}

function Nodes() {
  const needsKey = useNeedsKey();
  const nodes = useResource((signal) => api.GET('/api/nodes', { signal }), {
    key: 'nodes',
    pollSeconds: ({ data }) => (data.some(isBusy) ? busyPollSeconds : pollSeconds),
  });
  const messages = text.value.administration.nodes;
  return (
    <>
      <LoadedList
        resource={nodes}
        empty={{ title: messages.empty, hint: needsKey ? messages.needsKey : messages.emptyHint }}
      >
        {({ data }) => <NodeTable nodes={data} />}
      </LoadedList>
      <ApiCall method="GET" path="/api/nodes" />
    </>
  );
}

function NodeTable({ nodes }: { nodes: readonly Node[] }) {
  const {
    common,
    administration: { nodes: messages },
  } = text.value;
  return (
    <TableBox label={messages.title}>
      <thead>
        <tr>
          <th scope="col">{common.name}</th>
          <th scope="col">{messages.type}</th>
          <th scope="col">{common.status}</th>
          <th scope="col">{messages.health}</th>
          <th scope="col">{messages.ipAddress}</th>
          <th scope="col">{messages.lastError}</th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <tr key={node.ulid}>
            <th scope="row">
              <a href={`/administration/nodes/${node.id}`}>{node.name}</a>
            </th>
            <td>{messages.types[node.type]}</td>
            <td>
              <NodeBadge status={node.status} />
            </td>
            <td>
              <NodeHealthText node={node} />
            </td>
            <td class="code">{node.ip_address}</td>
            <td class="long-text">{node.last_error ?? common.none}</td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}
