import * as z from 'zod';
import { shownText, timestamp, ulid } from './fields.ts';

/** A query as it was sent, which its schema has accepted once. */
export const storedQuery = z
  .record(z.string(), z.unknown())
  .meta({ id: 'StoredQuery', description: 'A TemplateQuery.' });

/** A template as it is answered. */
export const template = z
  .object({ id: z.int(), ulid, name: shownText(255), query: storedQuery, created_at: timestamp })
  .meta({ id: 'Template' });
