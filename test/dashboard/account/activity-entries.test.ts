import { expect, test } from 'vitest';
import { entriesOf, type Line } from '../../../dashboard/account/activity-entries.ts';

const line = (log_name: string, event: string, ulid: string | null, id: number | null = null) =>
  ({ log_name, event, subject_ulid: ulid, subject_id: id, description: `${log_name} ${event}` }) as Line;
const shown = (lines: Line[]) => entriesOf(lines).map(({ line: { description }, href }) => [description, href]);

test('an upload is one entry, that of its video, with a link', () => {
  const upload = [line('video', 'uploaded', 'V', 1), line('upload', 'updated', 'V'), line('upload', 'created', 'V')];
  expect(shown(upload)).toEqual([['video uploaded', '/videos/V']]);
});

test('an upload without a video keeps its lines, and so does one that was discarded', () => {
  expect(shown([line('upload', 'updated', 'U'), line('upload', 'created', 'U')])).toHaveLength(2);
  expect(shown([line('upload', 'deleted', 'V'), line('video', 'uploaded', 'V')])).toHaveLength(2);
});

test('what was deleted has no link', () => {
  const lines = [line('video', 'deleted', 'V'), line('video', 'updated', 'V'), line('video', 'updated', 'W')];
  expect(shown(lines)).toEqual([
    ['video deleted', undefined],
    ['video updated', undefined],
    ['video updated', '/videos/W'],
  ]);
});

test('templates and nodes have pages, tokens have none', () => {
  const lines = [
    line('template', 'created', 'T', 3),
    line('node', 'created', 'N', 7),
    line('token', 'created', null, 1),
  ];
  expect(shown(lines).map(([, href]) => href)).toEqual(['/templates/T', '/administration/nodes/7', undefined]);
});
