import type * as z from 'zod';
import type { user } from '../contracts/routes/account-routes.ts';
import type { User } from '../table/records.ts';

export const serializeUser = ({ id, ulid, name, email, isAdmin }: User): z.input<typeof user> => ({
  id,
  ulid,
  name,
  email,
  is_admin: isAdmin,
});
