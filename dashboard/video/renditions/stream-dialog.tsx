import { useState } from 'preact/hooks';
import type { components } from '../../../client/api-types.ts';
import { api } from '../../api/client.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';
import type { Stream } from '../video-properties.ts';
import {
  changesOf,
  codecsOf,
  formOf,
  paramsOf,
  type StreamForm,
  type StreamType,
  streamTypes,
  withType,
} from './stream-form.ts';

type StreamDialogProps = { videoId: number; stream?: Stream; onClose(): void };
type InputParams = components['schemas']['InputParams'];

/** Adds a stream to a video, or changes one. */
export function StreamDialog({ videoId, stream, onClose }: StreamDialogProps) {
  const [form, setForm] = useState(() => formOf(stream));
  const { common, video: messages } = text.value;
  const change = (changes: Partial<StreamForm>): void => setForm((form) => ({ ...form, ...changes }));
  const creation = {
    video_id: videoId,
    name: form.name,
    type: form.type,
    input_params: paramsOf(form) as InputParams,
  };
  const changes = changesOf(formOf(stream), form) as { name?: string; input_params?: InputParams };

  const save = useAction(async () => {
    if (stream === undefined) await api.POST('/api/streams', { body: creation });
    else await api.PUT('/api/streams/{id}', { params: { path: { id: String(stream.id) } }, body: changes });
    announce(common.saved);
    onClose();
  });
  const errors = fieldErrors(save.error);
  const field = (name: 'name' | 'height' | 'bitrate', path: string) => ({
    value: form[name],
    onValue: (value: string) => change({ [name]: value }),
    errors: errors[path],
  });
  const hasOther =
    save.error !== undefined &&
    !['name', 'input_params.codec', 'input_params.height', 'input_params.bitrate'].some((path) => path in errors);
  return (
    <Dialog title={stream === undefined ? messages.addStream : messages.editStream(stream.name)} onClose={onClose}>
      <form class="form" onSubmit={onSubmit(() => save.run())} noValidate>
        <TextField label={common.name} {...field('name', 'name')} />
        {stream === undefined && (
          <SelectField
            label={messages.streamType}
            value={form.type}
            onValue={(type) => setForm(withType(form, type as StreamType))}
            options={streamTypes.map((value) => ({ value, label: messages.streamTypes[value] }))}
          />
        )}
        <SelectField
          label={messages.codec}
          value={form.codec}
          onValue={(codec) => change({ codec })}
          errors={errors['input_params.codec']}
          options={codecsOf(form.type).map((value) => ({ value, label: value.toUpperCase() }))}
        />
        {form.type !== 'audio' && (
          <TextField
            label={messages.height}
            inputMode="numeric"
            isOptional
            {...field('height', 'input_params.height')}
          />
        )}
        <TextField
          label={messages.bitrate}
          hint={messages.bitrateHint}
          isOptional
          {...field('bitrate', 'input_params.bitrate')}
        />
        <p class="hint">{messages.streamEffect}</p>
        {hasOther && <ErrorNotice error={save.error} />}
        {stream === undefined ? (
          <ApiCall method="POST" path="/api/streams" body={creation} />
        ) : (
          <ApiCall method="PUT" path="/api/streams/{id}" params={{ id: stream.id }} body={changes} />
        )}
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            type="submit"
            variant="primary"
            isBusy={save.isRunning}
            disabled={stream !== undefined && Object.keys(changes).length === 0}
          >
            {common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
