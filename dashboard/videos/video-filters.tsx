import { useEffect, useState } from 'preact/hooks';
import type { components } from '../../client/api-types.ts';
import { Button } from '../components/button.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { text } from '../messages/messages.ts';
import { isFiltered, type VideoFilters } from './list-query.ts';

type TemplateItem = components['schemas']['Template'];
type VideoFiltersProps = {
  filters: VideoFilters;
  templates: readonly TemplateItem[];
  onChange(changes: Partial<VideoFilters>): void;
};

const videoStatuses = ['pending', 'downloading', 'running', 'uploading', 'completed', 'failed'] as const;
const typingMilliseconds = 300;
const noFilters: VideoFilters = { q: '', status: '', template_id: '', created_from: '', created_to: '' };

export function VideoFilterBar({ filters, templates, onChange }: VideoFiltersProps) {
  const { videos: messages, common, status } = text.value;
  const set = (name: keyof VideoFilters) => (value: string) => onChange({ [name]: value });
  const anything = { value: '', label: common.all };
  return (
    <search class="filters">
      <SearchField value={filters.q} onValue={set('q')} />
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
