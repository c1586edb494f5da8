import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { api } from '../api/client.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { DeleteDialog } from '../components/dialogs/delete-dialog.tsx';
import { ConfirmDialog, Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Checkbox, TextField } from '../components/field.tsx';
import { onSubmit } from '../components/submit.ts';
import { text } from '../messages/messages.ts';
import type { Video } from './video-properties.ts';

type PosterDialogProps = { video: Video; onClose(): void };

/** Where the player of the page stands, rounded to a tenth of a second. */
const playerSeconds = (): string =>
  (document.querySelector<HTMLMediaElement>('.player [slot="media"]')?.currentTime ?? 0).toFixed(1);

export function PosterDialog({ video: { ulid, duration }, onClose }: PosterDialogProps) {
  const [seconds, setSeconds] = useState(playerSeconds);
  const { common, video: messages } = text.value;
  const params = { path: { ulid } };
  const body = { at_seconds: Number(seconds) };
  const save = useAction(async () => {
    await api.PUT('/api/videos/{ulid}/poster', { params, body });
    announce(messages.posterStarted);
    onClose();
  });
  const errors = fieldErrors(save.error);
  return (
    <Dialog title={messages.choosePoster} onClose={onClose}>
      <form class="form" onSubmit={onSubmit(() => save.run())} noValidate>
        <TextField
          label={messages.posterSeconds}
          hint={messages.posterHint}
          type="number"
          min={0}
          max={duration ?? undefined}
          step="0.1"
          value={seconds}
          onValue={setSeconds}
          errors={errors.at_seconds}
        />
        <ErrorNotice error={'at_seconds' in errors ? undefined : save.error} />
        <ApiCall method="PUT" path="/api/videos/{ulid}/poster" params={params.path} body={body} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={save.isRunning}>
            {messages.makePoster}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

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
