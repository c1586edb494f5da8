import { bodyOf, createApi } from './api.ts';
import { errorOf } from './api-error.ts';

/**
 * Creates an API token with the password of an account, outside of browsers: those do not expose cookies.
 * @throws ApiError for a wrong password
 */
export async function createToken(
  url: string,
  account: { email: string; password: string },
  name: string,
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
  return (await bodyOf(api.POST('/api/tokens', { body: { name }, headers: { cookie } }))).token;
}
