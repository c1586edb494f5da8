import { useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import { api } from '../api/client.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextField } from '../components/field.tsx';
import { onSubmit } from '../components/submit.ts';
import { text } from '../messages/messages.ts';
import { lastTemplate, TemplateChoice } from '../upload/template-choice.tsx';
import { creationOf } from './ingest-properties.ts';

type IngestDialogProps = { onStarted(): void; onClose(): void };

/** Starts an ingest. The form keeps its values on an error. */
export function IngestDialog({ onStarted, onClose }: IngestDialogProps) {
  const { ingests: messages, common } = text.value;
  const [url, setUrl] = useState('');
  const [filename, setFilename] = useState('');
  const [template, setTemplate] = useState(lastTemplate);
  const body = creationOf({ url, filename, template });
  const start = useAction(async () => {
    const { data } = await bodyOf(api.POST('/api/ingests', { body }));
    announce(messages.started(data.filename));
    onClose();
    onStarted();
  });
  const errors = fieldErrors(start.error);
  const isShownAtField = 'url' in errors || 'filename' in errors;
  return (
    <Dialog title={messages.create} onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit(() => start.run())}>
        <TextField
          label={messages.url}
          hint={messages.urlHint}
          type="url"
          autocomplete="off"
          value={url}
          onValue={setUrl}
          errors={errors.url}
        />
        <TextField
          label={messages.filename}
          hint={messages.filenameHint}
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
    </Dialog>
  );
}
