import { ladderOf, type Query } from '../query/query.ts';
import { canCopy } from '../query/query-form.ts';

/** What an estimate cannot say without the file, so that it is explained. */
export type PreviewNote = 'quality' | 'copy';

export const previewNotes = (query: Query): PreviewNote[] => [
  ...(ladderOf(query)?.mode === 'quality' ? (['quality'] as const) : []),
  ...(query.copy === 'auto' && canCopy(query) ? (['copy'] as const) : []),
];
