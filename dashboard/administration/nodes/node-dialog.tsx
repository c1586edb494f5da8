import { useState } from 'preact/hooks';
import { bodyOf } from '../../../client/api.ts';
import { api } from '../../api/client.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';
import { NodeFields } from './node-fields.tsx';
import { changesOf, creationOf, formOf, type NodeForm } from './node-form.ts';
import type { Node } from './node-properties.ts';

type NodeDialogProps = {
  /** Without it, a node is registered. */
  node?: Node;
  onSaved?(node: Node): void;
  onClose(): void;
};

/** Registers a node, or changes one. */
export function NodeDialog({ node, onSaved, onClose }: NodeDialogProps) {
  const { data, error, reload } = useResource((signal) => api.GET('/api/ssh-keys', { signal }), { key: 'ssh keys' });
  const {
    common,
    administration: { nodes: messages },
  } = text.value;
  const keys = data?.data;
  return (
    <Dialog title={node === undefined ? messages.register : messages.edit(node.name)} onClose={onClose}>
      <ErrorNotice error={error} onRetry={reload} />
      {keys === undefined && error === undefined && <Loading />}
      {keys?.length === 0 && (
        <p>
          {messages.needsKey} <a href="/administration/ssh-keys">{text.value.administration.sshKeys.title}</a>
        </p>
      )}
      {keys === undefined || keys.length === 0 ? (
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.close}</Button>
        </div>
      ) : (
        <NodeFormView
          {...(node && { node })}
          keys={keys}
          onSaved={(saved) => {
            onClose();
            onSaved?.(saved);
          }}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

type NodeFormViewProps = {
  node?: Node;
  keys: readonly { id: number; name: string }[];
  onSaved(node: Node): void;
  onClose(): void;
};

function NodeFormView({ node, keys, onSaved, onClose }: NodeFormViewProps) {
  const [before] = useState(() => formOf(node, String(keys[0]!.id)));
  const [form, setForm] = useState(before);
  const { common } = text.value;
  const change = (changes: Partial<NodeForm>): void => setForm((form) => ({ ...form, ...changes }));
  const creation = creationOf(form);
  const changes = changesOf(before, form);
  const save = useAction(async () => {
    const { data } =
      node === undefined
        ? await bodyOf(api.POST('/api/nodes', { body: creation }))
        : await bodyOf(api.PUT('/api/nodes/{id}', { params: { path: { id: String(node.id) } }, body: changes }));
    announce(common.saved);
    onSaved(data);
  });
  const errors = fieldErrors(save.error);
  const hasOther = Object.keys(errors).every((field) => !(field in creation));
  return (
    <form class="form" onSubmit={onSubmit(() => save.run())} noValidate>
      <NodeFields form={form} onChange={change} errors={errors} keys={keys} isNew={node === undefined} />
      {hasOther && <ErrorNotice error={save.error} />}
      {node === undefined ? (
        <ApiCall method="POST" path="/api/nodes" body={creation} />
      ) : (
        <ApiCall method="PUT" path="/api/nodes/{id}" params={{ id: node.id }} body={changes} />
      )}
      <div class="dialog-actions">
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button
          type="submit"
          variant="primary"
          isBusy={save.isRunning}
          disabled={node !== undefined && Object.keys(changes).length === 0}
        >
          {node === undefined ? text.value.administration.nodes.register : common.save}
        </Button>
      </div>
    </form>
  );
}
