import type { z } from 'zod';
import { queryIssues } from './query-rules.ts';
import { queryStructure } from './query-structure.ts';

/**
 * template.query. Parsing fills in the defaults, but the query is stored and returned as it was sent. Issue paths start
 * at the keys of the query. Unknown keys are refused without inspecting their values, so nesting is bounded.
 */
export const templateQuerySchema = queryStructure
  .superRefine((query, context) => {
    if (context.issues.length > 0) return;
    for (const { path, message } of queryIssues(query)) context.addIssue({ code: 'custom', path, message });
  })
  .meta({
    id: 'TemplateQuery',
    description: 'What to make of a source: streams or a ladder, and the outputs that use them.',
  });
export type TemplateQuery = z.output<typeof templateQuerySchema>;
