import { useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import { api } from '../api/client.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextField } from '../components/field.tsx';
import { ShownOnce } from '../components/shown-once.tsx';
import { onSubmit } from '../components/submit.ts';
import { text } from '../messages/messages.ts';

type NewTokenDialogProps = { onCreated(): void; onClose(): void };

/** The secret is only in the state of this dialog, and gone when it closes. */
export function NewTokenDialog({ onCreated, onClose }: NewTokenDialogProps) {
  const { account: messages, common } = text.value;
  const [name, setName] = useState('');
  const [token, setToken] = useState<string>();
  const create = useAction(async () => {
    setToken((await bodyOf(api.POST('/api/tokens', { body: { name } }))).token);
    onCreated();
  });
  const errors = fieldErrors(create.error);
  return (
    <Dialog title={token === undefined ? messages.newToken : messages.tokenIs(name)} onClose={onClose}>
      {token === undefined ? (
        <form class="form" noValidate onSubmit={onSubmit(() => create.run())}>
          <TextField
            label={common.name}
            hint={messages.tokenNameHint}
            name="token-name"
            autocomplete="off"
            value={name}
            onValue={setName}
            errors={errors.name}
          />
          <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : create.error} />
          <ApiCall method="POST" path="/api/tokens" body={{ name }} />
          <div class="dialog-actions">
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button type="submit" variant="primary" isBusy={create.isRunning}>
              {common.create}
            </Button>
          </div>
        </form>
      ) : (
        <ShownOnce
          notice={messages.tokenOnce}
          label={messages.token}
          value={token}
          copyLabel={messages.copyToken}
          closeLabel={messages.tokenKept}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}
