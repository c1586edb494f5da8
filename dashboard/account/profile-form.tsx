import { useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import { api } from '../api/client.ts';
import { type Me, session } from '../api/current-user.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextField } from '../components/field.tsx';
import { onSubmit } from '../components/submit.ts';
import { useUnsaved } from '../layout/use-unsaved.ts';
import { text } from '../messages/messages.ts';

export function ProfileForm({ user }: { user: Me }) {
  const { account: messages, common } = text.value;
  const [form, setForm] = useState({ name: user.name, email: user.email });
  const isChanged = form.name !== user.name || form.email !== user.email;
  useUnsaved(isChanged);
  const save = useAction(async () => {
    const { name, email } = await bodyOf(api.PUT('/api/profile', { body: form }));
    if (session.value) session.value = { ...session.value, name, email };
    // The service trims the name and writes the address in lower case.
    setForm({ name, email });
    announce(common.saved);
  });
  const errors = fieldErrors(save.error);
  const field = (name: keyof typeof form) => ({
    name,
    value: form[name],
    onValue: (value: string) => setForm((form) => ({ ...form, [name]: value })),
    errors: errors[name],
  });
  return (
    <Card title={messages.profile}>
      <form class="form" noValidate onSubmit={onSubmit(() => save.run())}>
        <TextField label={common.name} autocomplete="name" {...field('name')} />
        <TextField label={common.email} type="email" autocomplete="email" {...field('email')} />
        <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : save.error} />
        <div class="row">
          <Button type="submit" variant="primary" isBusy={save.isRunning} disabled={!isChanged}>
            {common.save}
          </Button>
        </div>
      </form>
      <ApiCall method="PUT" path="/api/profile" body={form} />
    </Card>
  );
}
