import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { DeleteDialog } from '../components/dialogs/delete-dialog.tsx';
import { ConfirmDialog } from '../components/dialogs/dialog.tsx';
import { Checkbox } from '../components/field.tsx';
import { text } from '../messages/messages.ts';
import type { Video } from './video-properties.ts';

type ReprocessDialogProps = { video: Video; onClose(): void };

export function ReprocessDialog({ video: { ulid, name }, onClose }: ReprocessDialogProps) {
  const [isForced, setIsForced] = useState(false);
  const messages = text.value.video;
  const params = { path: { ulid } };
  const body = isForced ? { force: true } : {};
  const reprocess = async (): Promise<void> => {
    await api.POST('/api/videos/{ulid}/reprocess', { params, body });
    announce(messages.reprocessing);
  };
  return (
    <ConfirmDialog
      title={messages.processAgainTitle(name)}
      confirmLabel={messages.processAgain}
      apiCall={<ApiCall method="POST" path="/api/videos/{ulid}/reprocess" params={params.path} body={body} />}
      onConfirm={reprocess}
      onClose={onClose}
    >
      <p>{isForced ? messages.forceEffect : messages.processAgainEffect}</p>
      <Checkbox label={messages.force} isChecked={isForced} onChecked={setIsForced} />
    </ConfirmDialog>
  );
}

type DeleteVideoProps = { video: Pick<Video, 'ulid' | 'name'>; onDeleted(): void; onClose(): void };

export function DeleteVideo({ video: { ulid, name }, onDeleted, onClose }: DeleteVideoProps) {
  const messages = text.value.video;
  return (
    <DeleteDialog
      title={messages.deleteTitle(name)}
      announcement={messages.deleted(name)}
      call={{ path: '/api/videos/{ulid}', params: { ulid } }}
      onDelete={async () => {
        await api.DELETE('/api/videos/{ulid}', { params: { path: { ulid } } });
        onDeleted();
      }}
      onClose={onClose}
    >
      <p>{messages.deleteEffect}</p>
    </DeleteDialog>
  );
}
