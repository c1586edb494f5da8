import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import type { Me } from '../api/current-user.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PasswordField } from '../components/field.tsx';
import { onSubmit } from '../components/submit.ts';
import { text } from '../messages/messages.ts';

const empty = { current_password: '', password: '', password_confirmation: '' };
/** Passwords are not shown in the sample of the call. */
const sample = { current_password: '…', password: '…', password_confirmation: '…' };

export function PasswordForm({ user }: { user: Me }) {
  const { account: messages, signIn } = text.value;
  const [form, setForm] = useState(empty);
  const [isChanged, setIsChanged] = useState(false);
  const save = useAction(async () => {
    setIsChanged(false);
    await api.PUT('/api/profile/password', { body: form });
    setForm(empty);
    setIsChanged(true);
  });
  const errors = fieldErrors(save.error);
  const field = (name: keyof typeof form) => ({
    name,
    value: form[name],
    onValue: (value: string) => setForm((form) => ({ ...form, [name]: value })),
    errors: errors[name],
  });
  return (
    <Card title={messages.password}>
      <form class="form" noValidate onSubmit={onSubmit(() => save.run())}>
        {/* For password managers. */}
        <input type="text" name="username" autocomplete="username" value={user.email} readOnly hidden />
        <PasswordField
          label={messages.currentPassword}
          autocomplete="current-password"
          {...field('current_password')}
        />
        <PasswordField
          label={messages.newPassword}
          hint={signIn.passwordRule}
          autocomplete="new-password"
          {...field('password')}
        />
        <PasswordField label={signIn.repeatPassword} autocomplete="new-password" {...field('password_confirmation')} />
        <p class="hint">{messages.passwordEffect}</p>
        <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : save.error} />
        <div class="row">
          <Button type="submit" variant="primary" isBusy={save.isRunning} disabled={Object.values(form).includes('')}>
            {messages.changePassword}
          </Button>
          <p class="hint" role="status">
            {isChanged && messages.passwordChanged}
          </p>
        </div>
      </form>
      <ApiCall method="PUT" path="/api/profile/password" body={sample} />
    </Card>
  );
}
