import { presetWithTexts } from '../../client/texts/describe-codes.ts';
import { api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { useResource } from '../api/use-resource.ts';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SelectField } from '../components/field.tsx';
import { text } from '../messages/messages.ts';

const storageKey = 'upload-template';

/** The template that was used last, if it still exists. */
export const lastTemplate = (): string => localStorage.getItem(storageKey) ?? '';

type TemplateChoiceProps = { value: string; onValue(ulid: string): void };

/** The template of the next files. Without any template, a preset can be adopted. */
export function TemplateChoice({ value, onValue }: TemplateChoiceProps) {
  const { data, error, reload } = useResource((signal) => api.GET('/api/templates', { signal }), { key: 'templates' });
  const choose = (ulid: string): void => {
    localStorage.setItem(storageKey, ulid);
    onValue(ulid);
  };
  const templates = data?.data;
  const isKnown = templates?.some(({ ulid }) => ulid === value) ?? true;
  const [first] = templates ?? [];
  if (!isKnown && first) queueMicrotask(() => choose(first.ulid));
  if (error !== undefined) return <ErrorNotice error={error} onRetry={reload} />;
  if (templates === undefined) return <p class="hint">{text.value.app.loading}</p>;
  if (templates.length === 0) return <AdoptPreset onAdopted={reload} />;
  return (
    <div class="form">
      <SelectField
        label={text.value.upload.template}
        hint={text.value.upload.templateHint}
        value={value}
        onValue={choose}
        options={templates.map(({ ulid, name }) => ({ value: ulid, label: name }))}
      />
    </div>
  );
}

function AdoptPreset({ onAdopted }: { onAdopted(): void }) {
  const messages = text.value.upload;
  const { data, error, reload } = useResource((signal) => api.GET('/api/template-presets', { signal }), {
    key: 'presets',
  });
  const adopt = useAction(async (slug: string) => {
    await api.POST('/api/template-presets/{slug}/adopt', { params: { path: { slug } } });
    onAdopted();
  });
  const presets = (data?.data ?? []).map((preset) => presetWithTexts(text.value.codes, preset));
  return (
    <section class="card">
      <h2>{messages.chooseFirst}</h2>
      <p class="hint">{messages.chooseFirstHint}</p>
      <ErrorNotice error={error ?? adopt.error} onRetry={reload} />
      <ul class="presets">
        {presets.map(({ slug, name, description }) => (
          <li key={slug}>
            <Button isBusy={adopt.isRunning} onClick={() => adopt.run(slug)}>
              {name}
            </Button>
            <span class="hint">{description}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
