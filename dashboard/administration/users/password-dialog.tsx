import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { session } from '../../api/current-user.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PasswordField } from '../../components/field.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';
import type { User } from './user-form.ts';

type PasswordDialogProps = { user: User; onClose(): void };

export function PasswordDialog({ user, onClose }: PasswordDialogProps) {
  const [password, setPassword] = useState('');
  const {
    common,
    signIn,
    administration: { users: messages },
  } = text.value;
  const save = useAction(async () => {
    const params = { path: { id: String(user.id) } };
    await api.PUT('/api/users/{id}/password', { params, body: { password } });
    announce(messages.passwordSet(user.name));
    onClose();
  });
  const { password: errors } = fieldErrors(save.error);
  const isOwn = user.id === session.value?.id;
  return (
    <Dialog title={messages.setPassword(user.name)} onClose={onClose}>
      <form class="form" onSubmit={onSubmit(() => save.run())} noValidate>
        <PasswordField
          label={messages.newPassword}
          hint={signIn.passwordRule}
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
          errors={errors}
        />
        <p>{isOwn ? messages.ownPasswordEffect : messages.passwordEffect}</p>
        <ErrorNotice error={errors === undefined ? save.error : undefined} />
        <ApiCall method="PUT" path="/api/users/{id}/password" params={{ id: user.id }} body={{ password: '…' }} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={save.isRunning} disabled={password === ''}>
            {common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
