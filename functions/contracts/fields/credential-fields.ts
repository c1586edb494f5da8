import * as z from 'zod';
import { commonPasswords } from '../../common/common-passwords.ts';

/** One account per address, whatever the case of its letters. */
export const email = z.email().max(255).toLowerCase();

/** One that was set before, whatever rules held then. */
export const password = z.string().meta({ format: 'password', writeOnly: true });

/** Never trimmed: a space at the end is part of a password. */
export const newPassword = z
  .string()
  .min(8)
  .max(255)
  .refine((password) => !commonPasswords.has(password.toLowerCase()), {
    error: 'The given password has appeared in a data leak. Please choose a different password.',
  })
  .meta({ format: 'password', writeOnly: true });
