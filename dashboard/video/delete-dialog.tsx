import { useLocation } from 'preact-iso';
import { api } from '../api/client.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { ConfirmDialog } from '../components/dialog.tsx';
import { text } from '../messages/messages.ts';
import type { Video } from './video-facts.ts';

type DeleteDialogProps = { video: Video; onClose(): void };

export function DeleteDialog({ video: { ulid, name }, onClose }: DeleteDialogProps) {
  const { route } = useLocation();
  const { common, video: messages } = text.value;
  const remove = async (): Promise<void> => {
    await api.DELETE('/api/videos/{ulid}', { params: { path: { ulid } } });
    announce(messages.deleted(name));
    route('/');
  };
  return (
    <ConfirmDialog
      title={messages.deleteTitle(name)}
      confirmLabel={common.delete}
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{messages.deleteEffect}</p>
      <ApiCall method="DELETE" path="/api/videos/{ulid}" params={{ ulid }} />
    </ConfirmDialog>
  );
}
