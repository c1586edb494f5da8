import { useId, useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TextArea, TextField } from '../../components/field.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';

const fields = ['name', 'public_key', 'private_key'] as const;

/** Stores a key pair. The private half is sent once and not kept in this page. */
export function AddKeyDialog({ onClose }: { onClose(): void }) {
  const [form, setForm] = useState({ name: '', public_key: '', private_key: '' });
  const {
    common,
    administration: { sshKeys: messages },
  } = text.value;
  const save = useAction(async () => {
    await api.POST('/api/ssh-keys', { body: form });
    announce(messages.added(form.name));
    onClose();
  });
  const errors = fieldErrors(save.error);
  const field = (name: (typeof fields)[number]) => ({
    value: form[name],
    onValue: (value: string) => setForm((form) => ({ ...form, [name]: value })),
    errors: errors[name],
  });
  return (
    <Dialog title={messages.add} onClose={onClose}>
      <form class="form" onSubmit={onSubmit(() => save.run())} noValidate>
        <TextField label={common.name} autocomplete="off" {...field('name')} />
        <KeyField label={messages.publicKey} hint={messages.publicKeyHint} {...field('public_key')} />
        <KeyField label={messages.privateKey} hint={messages.privateKeyHint} {...field('private_key')} />
        {!fields.some((name) => name in errors) && <ErrorNotice error={save.error} />}
        <ApiCall method="POST" path="/api/ssh-keys" body={{ ...form, private_key: '…' }} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={save.isRunning}>
            {messages.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type KeyFieldProps = {
  label: string;
  hint: string;
  value: string;
  onValue(value: string): void;
  errors: readonly string[] | undefined;
};

/** A larger file is no key. */
const maxFileBytes = 64 * 1024;

/** One half of a key pair, pasted or read from a file. */
function KeyField({ label, onValue, ...field }: KeyFieldProps) {
  const id = useId();
  const readFile = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (file) onValue(await file.slice(0, maxFileBytes).text());
    // So that the same file can be chosen again.
    input.value = '';
  };
  return (
    <div class="stack-small">
      <TextArea label={label} onValue={onValue} {...field} rows={3} spellcheck={false} autocomplete="off" />
      <div class="file-choice">
        <label for={id}>{text.value.administration.sshKeys.fromFile(label)}</label>
        <input id={id} type="file" onChange={(event) => void readFile(event.currentTarget)} />
      </div>
    </div>
  );
}
