import { useLocation } from 'preact-iso';
import { api } from '../api/client.ts';
import { DeleteDialog } from '../components/dialogs/delete-dialog.tsx';
import { text } from '../messages/messages.ts';
import type { Video } from './video-facts.ts';

type DeleteVideoProps = { video: Video; onClose(): void };

export function DeleteVideo({ video: { ulid, name }, onClose }: DeleteVideoProps) {
  const { route } = useLocation();
  const messages = text.value.video;
  return (
    <DeleteDialog
      title={messages.deleteTitle(name)}
      announcement={messages.deleted(name)}
      call={{ path: '/api/videos/{ulid}', params: { ulid } }}
      onDelete={async () => {
        await api.DELETE('/api/videos/{ulid}', { params: { path: { ulid } } });
        route('/');
      }}
      onClose={onClose}
    >
      <p>{messages.deleteEffect}</p>
    </DeleteDialog>
  );
}
