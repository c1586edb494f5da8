import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Checkbox, FileField, SelectField, TextField } from '../../components/field.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';
import {
  type Caption,
  type CaptionForm,
  type CaptionKind,
  captionFileTypes,
  captionKinds,
  formOf,
  languageInName,
  mediaTypeOf,
  paramsOf,
} from './caption-form.ts';

type CaptionDialogProps = { ulid: string; caption?: Caption; onStored(): void; onClose(): void };

/** Uploads a caption file: a new one, or one in place of a caption, of which language and kind stay. */
export function CaptionDialog({ ulid, caption, onStored, onClose }: CaptionDialogProps) {
  const [form, setForm] = useState(() => formOf(caption));
  const [file, setFile] = useState<File>();
  const [isFileMissing, setFileMissing] = useState(false);
  const { common, captions: messages } = text.value;
  const change = (changes: Partial<CaptionForm>): void => setForm((form) => ({ ...form, ...changes }));
  const params = paramsOf(ulid, form);

  const choose = (chosen: File | undefined): void => {
    setFile(chosen);
    setFileMissing(chosen === undefined);
    const language = chosen && languageInName(chosen.name);
    if (language && form.language === '') change({ language });
  };
  const save = useAction(async (chosen: File) => {
    const body = await chosen.arrayBuffer();
    await api.PUT('/api/videos/{ulid}/captions/{language}', {
      params,
      // The client would write a string as JSON.
      body: body as unknown as string,
      bodySerializer: (bytes) => bytes,
      headers: { 'content-type': await mediaTypeOf(chosen) },
    });
    announce(messages.stored);
    onStored();
  });
  const errors = fieldErrors(save.error);
  const isElsewhere = save.error !== undefined && !['language', 'label'].some((field) => field in errors);
  const submit = (): void => {
    if (file === undefined) setFileMissing(true);
    else void save.run(file);
  };
  return (
    <Dialog title={caption === undefined ? messages.add : messages.replaceTitle(caption.label)} onClose={onClose}>
      <form class="form" onSubmit={onSubmit(submit)} noValidate>
        <FileField
          label={messages.file}
          hint={messages.fileHint}
          accept={captionFileTypes}
          onFile={choose}
          errors={isFileMissing ? [messages.fileMissing] : undefined}
        />
        <TextField
          label={messages.language}
          hint={messages.languageHint}
          value={form.language}
          onValue={(language) => change({ language })}
          errors={errors.language}
          disabled={caption !== undefined}
          autocomplete="off"
          spellcheck={false}
        />
        <SelectField
          label={messages.kind}
          hint={messages.kindHints[form.kind]}
          value={form.kind}
          onValue={(kind) => change({ kind: kind as CaptionKind })}
          disabled={caption !== undefined}
          options={captionKinds.map((value) => ({ value, label: messages.kinds[value] }))}
        />
        <TextField
          label={messages.label}
          hint={messages.labelHint}
          isOptional
          value={form.label}
          onValue={(label) => change({ label })}
          errors={errors.label}
        />
        {form.kind !== 'chapters' && (
          <Checkbox
            label={messages.showByDefault}
            isChecked={form.isDefault}
            onChecked={(isDefault) => change({ isDefault })}
          />
        )}
        {isElsewhere && <ErrorNotice error={save.error} />}
        <ApiCall
          method="PUT"
          path="/api/videos/{ulid}/captions/{language}"
          params={params.path}
          query={{ ...params.query, default: String(params.query.default) }}
        />
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={save.isRunning}>
            {messages.upload}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
