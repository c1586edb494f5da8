import type * as z from 'zod';
import type { Template } from '../../shared/records.ts';
import type { template } from '../../shared/routes/template.ts';

export const presentTemplate = ({ id, ulid, name, query, createdAt }: Template): z.input<typeof template> => ({
  id,
  ulid,
  name,
  query,
  created_at: createdAt,
});
