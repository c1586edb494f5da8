import type * as z from 'zod';
import type { template } from '../contracts/fields/template-fields.ts';
import type { Template } from '../table/records.ts';

export const serializeTemplate = ({ id, ulid, name, query, createdAt }: Template): z.input<typeof template> => ({
  id,
  ulid,
  name,
  query,
  created_at: createdAt,
});
