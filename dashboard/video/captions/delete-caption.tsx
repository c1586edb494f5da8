import { api } from '../../api/client.ts';
import { DeleteDialog } from '../../components/dialogs/delete-dialog.tsx';
import { text } from '../../messages/messages.ts';
import type { Caption } from './caption-form.ts';

type DeleteCaptionProps = { ulid: string; caption: Caption; onDeleted(): void; onClose(): void };

export function DeleteCaption({ ulid, caption: { language, kind, label }, onDeleted, onClose }: DeleteCaptionProps) {
  const messages = text.value.captions;
  return (
    <DeleteDialog
      title={messages.deleteTitle(label)}
      announcement={messages.deleted}
      call={{ path: '/api/videos/{ulid}/captions/{language}', params: { ulid, language }, query: { kind } }}
      onDelete={async () => {
        await api.DELETE('/api/videos/{ulid}/captions/{language}', {
          params: { path: { ulid, language }, query: { kind } },
        });
        onDeleted();
      }}
      onClose={onClose}
    >
      <p>{messages.deleteEffect}</p>
    </DeleteDialog>
  );
}
