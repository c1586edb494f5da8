import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient } from '../support/client.ts';
import { everyFormat } from '../support/templates.ts';

export type Account = Awaited<ReturnType<typeof openAccount>>;

/** A new user with a token and a template. */
export async function openAccount(apiUrl: string) {
  const email = `${crypto.randomUUID()}@example.com`;
  const password = crypto.randomUUID();
  const cookie = await register(apiUrl, { name: 'Uppy', email, password, password_confirmation: password });
  const made = await fetch(`${apiUrl}/api/tokens`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'uppy' }),
  });
  const { token } = (await made.json()) as { token: string };
  const client = createClient(apiUrl, token);
  return { email, password, token, client, template: await client.makeTemplate(everyFormat) };
}

/** Registration is rate-limited by address, so each account is registered from another loopback address. */
async function register(apiUrl: string, account: object): Promise<string> {
  const localAddress = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const headers = { 'content-type': 'application/json' };
  const sent = request(`${apiUrl}/register`, { method: 'POST', localAddress, headers }).end(JSON.stringify(account));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await text(answer);
  if (answer.statusCode !== 201) throw new Error(`no account: ${answer.statusCode} ${body}`);
  return answer.headers['set-cookie']!.map((line) => line.split(';')[0]).join('; ');
}
