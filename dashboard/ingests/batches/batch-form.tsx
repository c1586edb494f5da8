import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TextField } from '../../components/field.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';
import { lastTemplate, TemplateChoice } from '../../upload/template-choice.tsx';
import { batchCreationOf } from './batch-properties.ts';

type BatchFormProps = {
  /** ULID of the storage, and what the keys begin with */
  storage: string;
  prefix: string;
  onPrefix(prefix: string): void;
  onStarted(): void;
  onClose(): void;
  /** the fields that say which files of which storage */
  children(errors: ReturnType<typeof fieldErrors>): ComponentChildren;
};

/** Imports all files below a prefix of a storage. */
export function BatchForm({ storage, prefix, onPrefix, onStarted, onClose, children }: BatchFormProps) {
  const { common, ingests } = text.value;
  const messages = ingests.batch;
  const [limit, setLimit] = useState('');
  const [template, setTemplate] = useState(lastTemplate);
  const body = batchCreationOf({ storage, prefix, limit, template });
  const start = useAction(async () => {
    await api.POST('/api/ingests/batch', { body });
    announce(messages.started);
    onClose();
    onStarted();
  });
  const errors = fieldErrors(start.error);
  const isShownAtField = ['storage', 'prefix', 'limit'].some((field) => field in errors);
  return (
    <form class="form" noValidate onSubmit={onSubmit(() => start.run())}>
      {children(errors)}
      <TextField
        label={messages.prefix}
        hint={messages.prefixHint}
        autocomplete="off"
        value={prefix}
        onValue={onPrefix}
        errors={errors.prefix}
      />
      <TextField
        label={messages.limit}
        hint={messages.limitHint}
        isOptional
        inputMode="numeric"
        autocomplete="off"
        value={limit}
        onValue={setLimit}
        errors={errors.limit}
      />
      <TemplateChoice value={template} onValue={setTemplate} />
      {!isShownAtField && <ErrorNotice error={start.error} />}
      <ApiCall method="POST" path="/api/ingests/batch" body={body} />
      <div class="dialog-actions">
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" variant="primary" isBusy={start.isRunning} disabled={template === ''}>
          {ingests.start}
        </Button>
      </div>
    </form>
  );
}
