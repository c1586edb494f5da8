import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { ConfirmDialog } from '../components/dialogs/dialog.tsx';
import { Checkbox } from '../components/field.tsx';
import { text } from '../messages/messages.ts';
import type { Video } from './video-facts.ts';

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
      onConfirm={reprocess}
      onClose={onClose}
    >
      <div class="stack">
        <p>{isForced ? messages.forceEffect : messages.processAgainEffect}</p>
        <Checkbox label={messages.force} isChecked={isForced} onChecked={setIsForced} />
        <ApiCall method="POST" path="/api/videos/{ulid}/reprocess" params={params.path} body={body} />
      </div>
    </ConfirmDialog>
  );
}
