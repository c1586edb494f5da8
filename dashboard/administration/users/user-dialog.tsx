import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { session } from '../../api/current-user.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { loadSession } from '../../api/session.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Checkbox, PasswordField, TextField } from '../../components/field.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';
import { QuotaFields } from './quota-fields.tsx';
import { changesOf, creationOf, formOf, invalidAmounts, type User, type UserForm } from './user-form.ts';

type UserDialogProps = {
  /** Without it, a user is created. */
  user?: User;
  onClose(): void;
};

export function UserDialog({ user, onClose }: UserDialogProps) {
  const [before] = useState(() => formOf(user));
  const [form, setForm] = useState(before);
  const {
    common,
    signIn,
    administration: { users: messages },
  } = text.value;
  const change = (changes: Partial<UserForm>): void => setForm((form) => ({ ...form, ...changes }));
  const invalid = invalidAmounts(form);
  const changes = changesOf(before, form);
  const creation = creationOf(form);

  const save = useAction(async () => {
    if (user === undefined) await api.POST('/api/users', { body: creation });
    else await api.PUT('/api/users/{id}', { params: { path: { id: String(user.id) } }, body: changes });
    announce(common.saved);
    // One's own name, or the rights, may be others now.
    if (user?.id === session.value?.id) await loadSession();
    onClose();
  });
  const errors = fieldErrors(save.error);
  return (
    <Dialog title={user === undefined ? messages.create : messages.edit(user.name)} onClose={onClose}>
      <form class="form" onSubmit={onSubmit(() => !invalid.bytes && !invalid.cpu && save.run())} noValidate>
        <TextField
          label={common.name}
          autocomplete="off"
          value={form.name}
          onValue={(name) => change({ name })}
          errors={errors.name}
        />
        <TextField
          label={common.email}
          type="email"
          autocomplete="off"
          value={form.email}
          onValue={(email) => change({ email })}
          errors={errors.email}
        />
        {user === undefined && (
          <PasswordField
            label={messages.password}
            hint={signIn.passwordRule}
            autocomplete="new-password"
            value={form.password}
            onValue={(password) => change({ password })}
            errors={errors.password}
          />
        )}
        <div class="field">
          <Checkbox
            label={messages.isAdministrator}
            isChecked={form.isAdmin}
            onChecked={(isAdmin) => change({ isAdmin })}
          />
          <p class="hint">{messages.administratorHint}</p>
        </div>
        <QuotaFields form={form} onChange={change} invalid={invalid} />
        <ErrorNotice error={hasOwnField(errors) ? undefined : save.error} />
        {user === undefined ? (
          <ApiCall method="POST" path="/api/users" body={{ ...creation, password: '…' }} />
        ) : (
          <ApiCall method="PUT" path="/api/users/{id}" params={{ id: user.id }} body={changes} />
        )}
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            type="submit"
            variant="primary"
            isBusy={save.isRunning}
            disabled={user !== undefined && Object.keys(changes).length === 0}
          >
            {user === undefined ? common.create : common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const hasOwnField = (errors: object): boolean => ['name', 'email', 'password'].some((field) => field in errors);
