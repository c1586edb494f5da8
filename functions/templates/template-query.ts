import type { z } from 'zod';
import { queryIssues } from './query-rules.ts';
import { queryStructure } from './query-structure.ts';

/**
 * template.query. Parsing fills in the defaults; what a user is shown and what is stored is the query as it was sent. Issue paths start at the
 * query's own keys. Nothing can nest deeper than outputs, entry, list: unknown keys are refused without being looked into.
 */
export const templateQuerySchema = queryStructure
  .superRefine((query, context) => {
    if (context.issues.length > 0) return;
    for (const { path, message } of queryIssues(query)) context.addIssue({ code: 'custom', path, message });
  })
  .meta({
    id: 'TemplateQuery',
    description: 'What is made of a source: streams, or a ladder of them, and the outputs that name them.',
  });
export type TemplateQuery = z.output<typeof templateQuerySchema>;
