import { clientOfSession, register } from '../support/client.ts';
import { everyFormat } from '../support/templates.ts';

export type Account = Awaited<ReturnType<typeof openAccount>>;

/** A new user with a token and a template. */
export async function openAccount(apiUrl: string) {
  const { email, password, cookie } = await register(apiUrl);
  const client = await clientOfSession(apiUrl, cookie);
  return { email, password, token: client.token, client, template: await client.makeTemplate(everyFormat) };
}
