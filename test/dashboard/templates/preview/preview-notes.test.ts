import { expect, test } from 'vitest';
import { previewNotes } from '../../../../dashboard/templates/preview/preview-notes.ts';
import { newQuery } from '../../../../dashboard/templates/query/query-changes.ts';

const ladder = { codec: 'h264' };

test.each<[notes: string[], query: object]>([
  [['quality'], newQuery],
  [['quality', 'copy'], { ladder: { ...ladder, mode: 'quality' }, copy: 'auto' }],
  [['copy'], { video: [{ codec: 'hevc' }, { codec: 'h264' }], copy: 'auto' }],
  [[], { ladder: { ...ladder, mode: 'bitrate' }, copy: 'off' }],
  [[], { ladder: { codec: 'av1' }, copy: 'auto' }],
  [[], {}],
])('an estimate has the notes %j', (notes, query) => {
  expect(previewNotes(query as typeof newQuery)).toEqual(notes);
});
