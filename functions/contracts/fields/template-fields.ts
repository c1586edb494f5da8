import * as z from 'zod';
import { shownText, timestamp, ulid } from './fields.ts';

/** A stored query, as it was sent. It was valid when it was stored. */
export const storedQuery = z
  .record(z.string(), z.unknown())
  .meta({ id: 'StoredQuery', description: 'A TemplateQuery.' });

/** A template in responses. */
export const template = z
  .object({
    id: z.int(),
    ulid,
    name: shownText(255),
    query: storedQuery,
    shared: z.boolean().meta({ description: 'Every user may read and use it; only administrators change it.' }),
    created_at: timestamp,
  })
  .meta({ id: 'Template' });
