import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError } from '../../../client/api-error.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/button.tsx';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Checkbox } from '../../components/field.tsx';
import { Loading } from '../../components/loading.tsx';
import { text } from '../../messages/messages.ts';
import { AdminPage } from '../admin-page.tsx';
import { Containers } from './containers.tsx';
import { Deployment } from './deployment.tsx';
import { NodeDialog } from './node-dialog.tsx';
import { isBusy, type Node } from './node-properties.ts';
import { NodeSummary } from './node-summary.tsx';
import { NodeWork } from './node-work.tsx';

type NodePageProps = { params: { id: string } };
type OpenDialog = 'edit' | 'delete';

const pollSeconds = 5;
const busyPollSeconds = 1;

/** Another node is another page. */
export const NodePage = ({ params: { id } }: NodePageProps) => <OneNode key={id} id={id} />;

function OneNode({ id }: { id: string }) {
  const [dialog, setDialog] = useState<OpenDialog>();
  const [title, setTitle] = useState<string>();
  const {
    common,
    administration: { nodes: messages },
  } = text.value;
  return (
    <AdminPage
      title={title ?? messages.node}
      actions={
        title !== undefined && (
          <>
            <Button onClick={() => setDialog('edit')}>{common.edit}</Button>
            <Button onClick={() => setDialog('delete')}>{common.delete}</Button>
          </>
        )
      }
    >
      <NodeView id={id} dialog={dialog} onDialogClose={() => setDialog(undefined)} onTitle={setTitle} />
    </AdminPage>
  );
}

type NodeViewProps = {
  id: string;
  dialog: OpenDialog | undefined;
  onDialogClose(): void;
  /** Undefined when the node does not exist. */
  onTitle(title: string | undefined): void;
};

function NodeView({ id, dialog, onDialogClose, onTitle }: NodeViewProps) {
  const { route } = useLocation();
  const messages = text.value.administration.nodes;
  const { data, error, reload } = useResource(
    async (signal) => {
      const response = await api.GET('/api/nodes/{id}', { params: { path: { id } }, signal });
      onTitle(response.data?.data.name);
      return response;
    },
    { key: id, pollSeconds: ({ data }) => (isBusy(data) ? busyPollSeconds : pollSeconds) },
  );
  const node = data?.data;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyState title={node === undefined ? messages.notFound : messages.deleted(node.name)}>
        <a href="/administration/nodes">{messages.toNodes}</a>
      </EmptyState>
    );
  }
  if (node === undefined) return error === undefined ? <Loading /> : <ErrorNotice error={error} onRetry={reload} />;
  const close = (): void => {
    onDialogClose();
    reload();
  };
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      <NodeSummary node={node} />
      <div class="node-columns">
        <Deployment node={node} onStarted={reload} />
        <div class="stack">
          <NodeWork node={node} />
          <Containers node={node} />
        </div>
      </div>
      {dialog === 'edit' && <NodeDialog node={node} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteNode
          node={node}
          onClose={close}
          onForced={() => {
            announce(messages.deleted(node.name));
            route('/administration/nodes');
          }}
        />
      )}
    </>
  );
}

type DeleteNodeProps = {
  node: Node;
  onClose(): void;
  /** The node is gone. Otherwise it is deleted in the background. */
  onForced(): void;
};

function DeleteNode({ node: { id, name }, onClose, onForced }: DeleteNodeProps) {
  const [isForced, setIsForced] = useState(false);
  const messages = text.value.administration.nodes;
  return (
    <DeleteDialog
      title={messages.deleteTitle(name)}
      call={{ path: '/api/nodes/{id}', params: { id }, query: { force: String(isForced) } }}
      onDelete={async () => {
        const params = { path: { id: String(id) }, query: { force: isForced } };
        await api.DELETE('/api/nodes/{id}', { params });
        if (isForced) onForced();
      }}
      onClose={onClose}
    >
      <p>{isForced ? messages.forceEffect : messages.deleteEffect}</p>
      <div class="field">
        <Checkbox label={messages.force} isChecked={isForced} onChecked={setIsForced} />
        <p class="hint">{messages.forceHint}</p>
      </div>
    </DeleteDialog>
  );
}
