import * as z from 'zod';
import { commonPasswords } from '../../common/common-passwords.ts';

/** Before the `@`, by RFC 5321. Without this limit the service would show addresses that others reject as invalid. */
const maxLocalPartCharacters = 64;

/** Email addresses are case-insensitive: one account per address. */
export const email = z
  .email()
  .max(255)
  .refine((address) => address.indexOf('@') <= maxLocalPartCharacters, {
    params: { code: 'email' },
    error: 'The email field must be a valid email address.',
  })
  .toLowerCase();

/** An existing password. It may have been set under earlier rules. */
export const password = z.string().meta({ format: 'password', writeOnly: true });

/** Never trimmed: a trailing space is part of the password. */
export const newPassword = z
  .string()
  .min(8)
  .max(255)
  .refine((password) => !commonPasswords.has(password.toLowerCase()), {
    params: { code: 'leaked_password' },
    error: 'The given password has appeared in a data leak. Please choose a different password.',
  })
  .meta({ format: 'password', writeOnly: true });
