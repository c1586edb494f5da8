import { bodyOf, createApi } from './api.ts';
import { errorOf } from './api-error.ts';
import type { components } from './api-types.ts';

type TokenOptions = {
  /** what the token may do; default everything */
  abilities?: components['schemas']['TokenAbility'][];
  /** ISO 8601 with an offset from UTC; default never */
  expires_at?: string | null;
};

/**
 * Creates an API token with the password of an account, outside of browsers: those do not expose cookies.
 * @throws ApiError for a wrong password
 */
export async function createToken(
  url: string,
  account: { email: string; password: string },
  name: string,
  options: TokenOptions = {},
): Promise<string> {
  const login = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  if (!login.ok) throw await errorOf(login);
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const api = createApi({ url });
  return (await bodyOf(api.POST('/api/tokens', { body: { name, ...options }, headers: { cookie } }))).token;
}
