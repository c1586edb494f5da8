import { useState } from 'preact/hooks';
import { bodyOf } from '../../../client/api.ts';
import { api } from '../../api/client.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Checkbox, TextField } from '../../components/field.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';
import type { Webhook } from '../webhook-properties.ts';
import { EventChoice } from './event-choice.tsx';
import { SecretOnce } from './secret-once.tsx';
import { changesOf, creationOf, eventErrors, formOf, type WebhookForm } from './webhook-form.ts';

type WebhookDialogProps = {
  /** Without it, a webhook is created. */
  webhook?: Webhook;
  onSaved(): void;
  onClose(): void;
};

/** Creates a webhook and shows its secret, or changes a webhook. The secret is only in the state of this dialog. */
export function WebhookDialog({ webhook, onSaved, onClose }: WebhookDialogProps) {
  const [created, setCreated] = useState<{ name: string; secret: string }>();
  const { webhooks: messages, common } = text.value;
  const [before] = useState(() => formOf(webhook));
  const [form, setForm] = useState(before);
  const body = creationOf(form);
  const changes = changesOf(before, form);
  const save = useAction(async () => {
    if (webhook === undefined) {
      const { data, secret } = await bodyOf(api.POST('/api/webhooks', { body }));
      setCreated({ name: data.name, secret });
    } else {
      await api.PUT('/api/webhooks/{ulid}', { params: { path: { ulid: webhook.ulid } }, body: changes });
      onClose();
    }
    announce(common.saved);
    onSaved();
  });
  if (created !== undefined) {
    return (
      <Dialog title={messages.secretOf(created.name)} onClose={onClose}>
        <SecretOnce secret={created.secret} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={webhook === undefined ? messages.create : messages.edit(webhook.name)} onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit(() => save.run())}>
        <WebhookFields
          form={form}
          onChange={(changes) => setForm((form) => ({ ...form, ...changes }))}
          error={save.error}
        />
        {webhook === undefined ? (
          <ApiCall method="POST" path="/api/webhooks" body={body} />
        ) : (
          <ApiCall method="PUT" path="/api/webhooks/{ulid}" params={{ ulid: webhook.ulid }} body={changes} />
        )}
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            type="submit"
            variant="primary"
            isBusy={save.isRunning}
            disabled={webhook !== undefined && Object.keys(changes).length === 0}
          >
            {webhook === undefined ? common.create : common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type WebhookFieldsProps = { form: WebhookForm; onChange(changes: Partial<WebhookForm>): void; error: unknown };

const fieldsWithErrors = ['name', 'url', 'external_user_id'];

function WebhookFields({ form, onChange, error }: WebhookFieldsProps) {
  const messages = text.value.webhooks;
  const errors = fieldErrors(error);
  const ofEvents = eventErrors(errors);
  const isShownAtField = ofEvents.length > 0 || fieldsWithErrors.some((field) => field in errors);
  return (
    <>
      <TextField
        label={text.value.common.name}
        hint={messages.nameHint}
        autocomplete="off"
        value={form.name}
        onValue={(name) => onChange({ name })}
        errors={errors.name}
      />
      <TextField
        label={messages.url}
        hint={messages.urlHint}
        type="url"
        autocomplete="off"
        value={form.url}
        onValue={(url) => onChange({ url })}
        errors={errors.url}
      />
      <EventChoice form={form} onChange={onChange} errors={ofEvents} />
      <TextField
        label={messages.externalUser}
        hint={messages.externalUserHint}
        isOptional
        autocomplete="off"
        value={form.externalUser}
        onValue={(externalUser) => onChange({ externalUser })}
        errors={errors.external_user_id}
      />
      <div>
        <Checkbox
          label={messages.isActive}
          isChecked={form.isActive}
          onChecked={(isActive) => onChange({ isActive })}
        />
        <p class="hint">{messages.isActiveHint}</p>
      </div>
      {!isShownAtField && <ErrorNotice error={error} />}
    </>
  );
}
