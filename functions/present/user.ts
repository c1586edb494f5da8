import type * as z from 'zod';
import type { User } from '../../shared/records.ts';
import type { user } from '../../shared/routes/account.ts';

export const presentUser = ({ id, ulid, name, email, isAdmin }: User): z.input<typeof user> => ({
  id,
  ulid,
  name,
  email,
  is_admin: isAdmin,
});
