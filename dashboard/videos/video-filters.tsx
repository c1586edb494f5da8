import { useEffect, useState } from 'preact/hooks';
import type { components } from '../../client/api-types.ts';
import { app } from '../api/app.ts';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { Button } from '../components/button.tsx';
import { Checkbox, SelectField, TextField } from '../components/field.tsx';
import { text } from '../messages/messages.ts';
import { isFiltered, noFilters, type VideoFilters } from './list-query.ts';

type TemplateItem = components['schemas']['Template'];
type VideoFiltersProps = {
  filters: VideoFilters;
  templates: readonly TemplateItem[];
  onChange(changes: Partial<VideoFilters>): void;
};

const videoStatuses = ['pending', 'downloading', 'running', 'uploading', 'completed', 'failed'] as const;
const typingMilliseconds = 300;

export function VideoFilterBar({ filters, templates, onChange }: VideoFiltersProps) {
  const { videos: messages, common, status } = text.value;
  const set = (name: keyof VideoFilters) => (value: string) => onChange({ [name]: value });
  const anything = { value: '', label: common.all };
  return (
    <search class="filters">
      <SearchField value={filters.q} onValue={set('q')} />
      {app().transcriptSearch && (
        <Checkbox
          label={messages.inTranscript}
          isChecked={filters.in !== ''}
          onChecked={(isOn) => onChange({ in: isOn ? 'transcript' : '' })}
        />
      )}
      <SelectField
        label={common.status}
        value={filters.status}
        onValue={set('status')}
        options={[anything, ...videoStatuses.map((value) => ({ value, label: status[value] }))]}
      />
      <SelectField
        label={messages.template}
        value={filters.template_id}
        onValue={set('template_id')}
        options={[anything, ...templates.map(({ id, name }) => ({ value: String(id), label: name }))]}
      />
      <TagField value={filters.tag} onValue={set('tag')} />
      <TextField label={messages.from} type="date" value={filters.created_from} onValue={set('created_from')} />
      <TextField label={messages.to} type="date" value={filters.created_to} onValue={set('created_to')} />
      {isFiltered(filters) && (
        <Button variant="quiet" onClick={() => onChange(noFilters)}>
          {messages.clearFilters}
        </Button>
      )}
    </search>
  );
}

/** Nothing for a user whose videos have no tags. */
function TagField({ value, onValue }: { value: string; onValue(value: string): void }) {
  const { data } = useResource((signal) => api.GET('/api/tags', { signal }), { key: 'tags' });
  const known = (data?.data ?? []).map(({ tag, videos }) => ({ value: tag, label: `${tag} (${videos})` }));
  const options = known.some((option) => option.value === value) ? known : [{ value, label: value }, ...known];
  if (known.length === 0 && value === '') return null;
  return (
    <SelectField
      label={text.value.videos.tag}
      value={value}
      onValue={onValue}
      options={[{ value: '', label: text.value.common.all }, ...options.filter((option) => option.value !== '')]}
    />
  );
}

/** Searches when the user pauses typing. */
function SearchField({ value, onValue }: { value: string; onValue(value: string): void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onValue(typed), typingMilliseconds);
    return () => clearTimeout(timer);
  }, [typed]);
  return <TextField label={text.value.videos.search} type="search" value={typed} onValue={setTyped} />;
}
