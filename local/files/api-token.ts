import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bodyOf, createApi } from '../../client/api.ts';
import { ApiError } from '../../client/api-error.ts';
import { createToken } from '../../client/create-token.ts';
import { CannotStart } from '../server/cannot-start.ts';

export const tokenName = 'npm start';
/** Other characters cannot be sent, and the error about them would show the token. */
const isToken = /^[\x21-\x7e]+$/;

/** `password` is undefined when an earlier start generated it. */
export type Account = { email: string; password: string | undefined };

/**
 * The API token of the administrator, which uploads the files of the command line. It is stored in the data folder,
 * because a generated password is printed once and not stored.
 * @throws CannotStart when there is neither a valid token nor a password to create one with
 */
export async function keepApiToken(dataFolder: string, apiUrl: string, { email, password }: Account): Promise<string> {
  const kept = await readFile(apiTokenFile(dataFolder), 'utf8').catch(() => undefined);
  if (kept !== undefined && isToken.test(kept) && (await belongsTo(kept, apiUrl, email))) return kept;
  if (password === undefined) {
    throw new CannotStart(`The password of ${email} is needed again: set ADMIN_PASSWORD.`);
  }
  const token = await createToken(apiUrl, { email, password }, tokenName).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 422)) throw error;
    throw new CannotStart(`ADMIN_PASSWORD is not the password of ${email}: set the right one.`);
  });
  await storeApiToken(dataFolder, token);
  return token;
}

export async function storeApiToken(dataFolder: string, token: string): Promise<void> {
  const file = apiTokenFile(dataFolder);
  await writeFile(`${file}.new`, token, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

/** Where the token of the administrator is stored. */
export const apiTokenFile = (dataFolder: string): string => join(dataFolder, 'api-token');

async function belongsTo(token: string, apiUrl: string, email: string): Promise<boolean> {
  try {
    return (await bodyOf(createApi({ url: apiUrl, token }).GET('/api/me'))).email === email.toLowerCase();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
}
