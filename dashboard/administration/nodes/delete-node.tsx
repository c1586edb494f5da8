import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
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
  const {
    common,
    administration: { nodes: messages },
  } = text.value;
  const remove = async (): Promise<void> => {
    const params = { path: { id: String(id) }, query: { force: isForced } };
    await api.DELETE('/api/nodes/{id}', { params });
    if (isForced) onForced();
  };
  return (
    <ConfirmDialog
      title={messages.deleteTitle(name)}
      confirmLabel={common.delete}
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <div class="stack">
        <p>{isForced ? messages.forceEffect : messages.deleteEffect}</p>
        <div class="field">
          <Checkbox label={messages.force} isChecked={isForced} onChecked={setIsForced} />
          <p class="hint">{messages.forceHint}</p>
        </div>
        <ApiCall method="DELETE" path="/api/nodes/{id}" params={{ id }} query={{ force: String(isForced) }} />
      </div>
    </ConfirmDialog>
  );
}
