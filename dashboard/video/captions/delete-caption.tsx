import { api } from '../../api/client.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { text } from '../../messages/messages.ts';
import type { Caption } from './caption-form.ts';

type DeleteCaptionProps = { ulid: string; caption: Caption; onDeleted(): void; onClose(): void };

export function DeleteCaption({ ulid, caption: { language, kind, label }, onDeleted, onClose }: DeleteCaptionProps) {
  const { common, captions: messages } = text.value;
  const remove = async (): Promise<void> => {
    await api.DELETE('/api/videos/{ulid}/captions/{language}', {
      params: { path: { ulid, language }, query: { kind } },
    });
    announce(messages.deleted);
    onDeleted();
  };
  return (
    <ConfirmDialog
      title={messages.deleteTitle(label)}
      confirmLabel={common.delete}
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{messages.deleteEffect}</p>
      <ApiCall
        method="DELETE"
        path="/api/videos/{ulid}/captions/{language}"
        params={{ ulid, language }}
        query={{ kind }}
      />
    </ConfirmDialog>
  );
}
