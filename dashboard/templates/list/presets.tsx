import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { bodyOf } from '../../../client/api.ts';
import type { components } from '../../../client/api-types.ts';
import { presetWithTexts } from '../../../client/texts/describe-codes.ts';
import { api } from '../../api/client.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TextField } from '../../components/field.tsx';
import { Loading } from '../../components/loading.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';
import { SummaryList } from './summary-list.tsx';

type Preset = components['schemas']['Preset'];

/** The built-in templates, each of which can become a template of the user. */
export function Presets() {
  const { templates: messages } = text.value;
  const [chosen, setChosen] = useState<Preset>();
  const { data, error, reload } = useResource((signal) => api.GET('/api/template-presets', { signal }), {
    key: 'presets',
  });
  const presets = (data?.data ?? []).map((preset) => presetWithTexts(text.value.codes, preset));
  return (
    <section class="stack" aria-labelledby="presets-title">
      <h2 id="presets-title">{messages.presets}</h2>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      <ul class="preset-list">
        {presets.map((preset) => (
          <li key={preset.slug} class="card">
            <h3>{preset.name}</h3>
            <p class="hint">{preset.description}</p>
            <SummaryList query={preset.query} />
            <div>
              <Button onClick={() => setChosen(preset)} aria-label={messages.adoptLabel(preset.name)}>
                {messages.adopt}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {chosen !== undefined && <AdoptPreset preset={chosen} onClose={() => setChosen(undefined)} />}
    </section>
  );
}

function AdoptPreset({ preset: { slug, name: presetName }, onClose }: { preset: Preset; onClose(): void }) {
  const { templates: messages, common } = text.value;
  const { route } = useLocation();
  const [name, setName] = useState(presetName);
  const adopt = useAction(async () => {
    const { data } = await bodyOf(
      api.POST('/api/template-presets/{slug}/adopt', { params: { path: { slug } }, body: { name } }),
    );
    announce(messages.created(data.name));
    route(`/templates/${data.ulid}`);
  });
  const errors = fieldErrors(adopt.error);
  return (
    <Dialog title={messages.adoptTitle(presetName)} onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit(() => adopt.run())}>
        <TextField label={common.name} name="name" value={name} onValue={setName} errors={errors.name} />
        <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : adopt.error} />
        <ApiCall method="POST" path="/api/template-presets/{slug}/adopt" params={{ slug }} body={{ name }} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={adopt.isRunning}>
            {messages.createTemplate}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
