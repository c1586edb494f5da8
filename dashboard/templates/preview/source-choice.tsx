import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { SelectField, TextField } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';
import type { ErrorsByPath } from '../query/query-errors.ts';
import {
  formOfSource,
  type Source,
  type SourceForm,
  type SourcePreset,
  sourceOfForm,
  sourceOfVideo,
  sourcePresets,
} from './preview-source.ts';

type SourceChoiceProps = { errors: ErrorsByPath; onSource(source: Source | undefined): void };

export const firstSource: SourcePreset = '1080p30';
const ownNumbers = 'own';
const listedVideos = 50;

/** A usual source, a video of the user, or other numbers. */
export function SourceChoice({ errors, onSource }: SourceChoiceProps) {
  const { templates: messages } = text.value;
  const [chosen, setChosen] = useState<string>(firstSource);
  const [form, setForm] = useState<SourceForm>(formOfSource(sourcePresets[firstSource]));
  const { data } = useResource(
    (signal) => api.GET('/api/videos', { params: { query: { per_page: listedVideos } }, signal }),
    { key: 'videos of the preview' },
  );
  const videos = (data?.data ?? []).flatMap((video) => {
    const source = sourceOfVideo(video);
    return source === undefined ? [] : [{ ulid: video.ulid, name: video.name, source }];
  });

  const choose = (value: string): void => {
    setChosen(value);
    const source =
      value in sourcePresets ? sourcePresets[value as SourcePreset] : videos.find(({ ulid }) => ulid === value)?.source;
    if (source === undefined) return;
    setForm(formOfSource(source));
    onSource(source);
  };
  const change = (key: keyof SourceForm, value: string): void => {
    const changed = { ...form, [key]: value };
    setForm(changed);
    onSource(sourceOfForm(changed));
  };
  return (
    <>
      <SelectField
        label={messages.source}
        value={chosen}
        onValue={choose}
        options={[
          ...Object.keys(sourcePresets).map((value) => ({
            value,
            label: messages.sourcePresets[value as SourcePreset],
          })),
          ...videos.map(({ ulid, name }) => ({ value: ulid, label: messages.ownVideo(name) })),
          { value: ownNumbers, label: messages.ownNumbers },
        ]}
      />
      {chosen === ownNumbers && (
        <div class="source-fields">
          {(['width', 'height', 'fps', 'duration_seconds'] as const).map((key) => (
            <TextField
              key={key}
              label={messages.sourceFields[key]}
              inputMode="decimal"
              value={form[key]}
              onValue={(value) => change(key, value)}
              errors={
                Number.isFinite(Number(form[key] || Number.NaN)) ? errors[`source.${key}`] : [messages.notANumber]
              }
            />
          ))}
        </div>
      )}
    </>
  );
}
