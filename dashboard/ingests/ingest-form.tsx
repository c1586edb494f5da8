import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import { api } from '../api/client.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextField } from '../components/field.tsx';
import { onSubmit } from '../components/submit.ts';
import { text } from '../messages/messages.ts';
import { lastTemplate, TemplateChoice } from '../upload/template-choice.tsx';
import type { CreateIngest, NamedIngest } from './ingest-properties.ts';

export type IngestDialogProps = { onStarted(): void; onClose(): void };

type IngestFormProps = IngestDialogProps & {
  bodyOfForm(form: NamedIngest): CreateIngest;
  /** the names of the fields among the children */
  ownFields: readonly string[];
  filenameHint: string;
  children(errors: ReturnType<typeof fieldErrors>): ComponentChildren;
};

/** Starts an ingest. The fields that say where the file is are the children. The form keeps its values on an error. */
export function IngestForm({ bodyOfForm, ownFields, filenameHint, children, onStarted, onClose }: IngestFormProps) {
  const { ingests: messages, common } = text.value;
  const [filename, setFilename] = useState('');
  const [template, setTemplate] = useState(lastTemplate);
  const body = bodyOfForm({ filename, template });
  const start = useAction(async () => {
    const { data } = await bodyOf(api.POST('/api/ingests', { body }));
    announce(messages.started(data.filename));
    onClose();
    onStarted();
  });
  const errors = fieldErrors(start.error);
  const isShownAtField = [...ownFields, 'filename'].some((field) => field in errors);
  return (
    <form class="form" noValidate onSubmit={onSubmit(() => start.run())}>
      {children(errors)}
      <TextField
        label={messages.filename}
        hint={filenameHint}
        isOptional
        autocomplete="off"
        value={filename}
        onValue={setFilename}
        errors={errors.filename}
      />
      <TemplateChoice value={template} onValue={setTemplate} />
      {!isShownAtField && <ErrorNotice error={start.error} />}
      <ApiCall method="POST" path="/api/ingests" body={body} />
      <div class="dialog-actions">
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" variant="primary" isBusy={start.isRunning} disabled={template === ''}>
          {messages.start}
        </Button>
      </div>
    </form>
  );
}
