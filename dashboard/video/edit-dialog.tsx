import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { session } from '../api/current-user.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { useResource } from '../api/use-resource.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SelectField, TextArea, TextField } from '../components/field.tsx';
import { onSubmit } from '../components/submit.ts';
import { text } from '../messages/messages.ts';
import { localInput, metadataChanges, metadataLines } from './description-form.ts';
import type { Video } from './video-properties.ts';

type EditDialogProps = { video: Video; onClose(): void };
type Changes = {
  name?: string;
  playback?: Video['playback'];
  template_id?: number;
  user_id?: number;
  tags?: string[];
  metadata?: Record<string, string | null>;
  expires_at?: string | null;
};

/** Name, description, playback policy, template and expiry; administrators also give the video to another user. */
export function EditDialog({ video, onClose }: EditDialogProps) {
  const [changes, setChanges] = useState<Changes>({});
  const [tags, setTags] = useState(video.tags.join(', '));
  const [metadata, setMetadata] = useState(metadataLines(video.metadata));
  const [expires, setExpires] = useState(video.expires_at === null ? '' : localInput(video.expires_at));
  const { common, video: messages } = text.value;
  const params = { path: { ulid: video.ulid } };
  const { data: templates } = useResource((signal) => api.GET('/api/templates', { signal }), { key: 'templates' });
  const save = useAction(async () => {
    await api.PUT('/api/videos/{ulid}', { params, body: changes });
    announce(common.saved);
    onClose();
  });
  const errors = fieldErrors(save.error);
  const change = (changed: Changes): void => setChanges((changes) => ({ ...changes, ...changed }));
  const templateOptions = (templates?.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <Dialog title={messages.edit} onClose={onClose}>
      <form class="form" onSubmit={onSubmit(() => save.run())} noValidate>
        <TextField
          label={common.name}
          value={changes.name ?? video.name}
          onValue={(name) => change({ name })}
          errors={errors.name}
        />
        <TextField
          label={messages.tags}
          hint={messages.tagsHint}
          isOptional
          value={tags}
          onValue={(typed) => {
            setTags(typed);
            change({ tags: typed.split(',').filter((tag) => tag.trim() !== '') });
          }}
          errors={errorsBelow(errors, 'tags')}
        />
        <TextArea
          label={messages.metadata}
          hint={messages.metadataHint}
          isOptional
          rows={3}
          value={metadata}
          onValue={(typed) => {
            setMetadata(typed);
            change({ metadata: metadataChanges(video.metadata, typed) });
          }}
          errors={errorsBelow(errors, 'metadata')}
        />
        <TextField
          label={messages.expiry}
          hint={messages.expiryHint}
          isOptional
          type="datetime-local"
          value={expires}
          onValue={(typed) => {
            setExpires(typed);
            change({ expires_at: typed === '' ? null : new Date(typed).toISOString() });
          }}
          errors={errors.expires_at}
        />
        <SelectField
          label={messages.visibility}
          hint={messages.visibilityHint}
          value={changes.playback ?? video.playback}
          onValue={(playback) => change({ playback: playback as Video['playback'] })}
          errors={errors.playback}
          options={(['signed', 'public'] as const).map((value) => ({ value, label: messages.visibilities[value] }))}
        />
        {templateOptions.length > 0 && (
          <SelectField
            label={messages.template}
            hint={messages.templateHint}
            value={String(changes.template_id ?? video.template_id)}
            onValue={(id) => change({ template_id: Number(id) })}
            errors={errors.template_id}
            options={
              templateOptions.some(({ value }) => value === String(video.template_id))
                ? templateOptions
                : [{ value: String(video.template_id), label: video.template?.name ?? '–' }, ...templateOptions]
            }
          />
        )}
        {session.value?.is_admin && (
          <OwnerField value={changes.user_id} onValue={(user_id) => change({ user_id })} errors={errors.user_id} />
        )}
        <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : save.error} />
        <ApiCall method="PUT" path="/api/videos/{ulid}" params={params.path} body={changes} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={save.isRunning} disabled={Object.keys(changes).length === 0}>
            {common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The errors of a field and of what is in it, such as those of `tags.0`. */
const errorsBelow = (errors: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] =>
  Object.entries(errors).flatMap(([field, texts]) => (field === name || field.startsWith(`${name}.`) ? texts : []));

type OwnerFieldProps = { value: number | undefined; onValue(id: number): void; errors: readonly string[] | undefined };

function OwnerField({ value, onValue, errors }: OwnerFieldProps) {
  const messages = text.value.video;
  const { data } = useResource((signal) => api.GET('/api/users', { signal }), { key: 'users' });
  const users = (data?.data ?? []).map(({ id, name, email }) => ({ value: String(id), label: `${name} (${email})` }));
  return (
    <SelectField
      label={messages.owner}
      hint={messages.ownerHint}
      value={value === undefined ? '' : String(value)}
      onValue={(id) => id !== '' && onValue(Number(id))}
      errors={errors}
      options={[{ value: '', label: messages.ownerUnchanged }, ...users]}
    />
  );
}
