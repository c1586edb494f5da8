import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { Checkbox } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';
import type { Node } from './node-facts.ts';

type DeleteNodeProps = {
  node: Node;
  onClose(): void;
  /** The node is gone. Otherwise it is deleted in the background. */
  onForced(): void;
};

export function DeleteNode({ node: { id, name }, onClose, onForced }: DeleteNodeProps) {
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
