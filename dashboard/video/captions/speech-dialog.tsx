import { useState } from 'preact/hooks';
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
import { generationOf } from './caption-form.ts';

type SpeechDialogProps = { ulid: string; onStarted(): void; onClose(): void };

/** Asks for captions that workers make of what is said in a video. */
export function SpeechDialog({ ulid, onStarted, onClose }: SpeechDialogProps) {
  const { common, captions: messages } = text.value;
  const [language, setLanguage] = useState('');
  const [isReplacing, setIsReplacing] = useState(false);
  const params = { path: { ulid } };
  const body = generationOf(language, isReplacing);
  const generate = useAction(async () => {
    await api.POST('/api/videos/{ulid}/captions/generate', { params, body });
    announce(messages.speechStarted);
    onStarted();
  });
  const errors = fieldErrors(generate.error);
  return (
    <Dialog title={messages.speech} onClose={onClose}>
      <form class="form" onSubmit={onSubmit(() => generate.run())} noValidate>
        <p class="hint">{messages.speechHint}</p>
        <TextField
          label={messages.spokenLanguage}
          hint={messages.spokenLanguageHint}
          isOptional
          autocomplete="off"
          spellcheck={false}
          value={language}
          onValue={setLanguage}
          errors={errors.language}
        />
        <Checkbox label={messages.speechReplaces} isChecked={isReplacing} onChecked={setIsReplacing} />
        <ErrorNotice error={'language' in errors ? undefined : generate.error} />
        <ApiCall method="POST" path="/api/videos/{ulid}/captions/generate" params={params.path} body={body} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={generate.isRunning}>
            {messages.makeFromSpeech}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
