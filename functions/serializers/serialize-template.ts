import type * as z from 'zod';
import type { template } from '../contracts/fields/template-fields.ts';
import type { Template } from '../table/records.ts';

export const serializeTemplate = ({
  id,
  ulid,
  name,
  query,
  shared,
  createdAt,
}: Template): z.input<typeof template> => ({
  id,
  ulid,
  name,
  query,
  shared,
  created_at: createdAt,
});
