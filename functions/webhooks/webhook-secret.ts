import { createHmac } from 'node:crypto';
import { readParameter } from '../aws/parameters.ts';
import { signingVersions, type Webhook } from '../table/webhooks/webhook-table.ts';
import { webhookKeyName } from './webhook-key-name.ts';

/** The secret of a webhook, as its owner gets it. */
export async function webhookSecret({ ulid, secretVersion }: Pick<Webhook, 'ulid' | 'secretVersion'>): Promise<string> {
  const key = await readParameter(webhookKeyName);
  if (key === undefined) throw new Error('the stage has no key of webhooks: invoke the setup function first');
  const secret = createHmac('sha256', key).update(`${ulid}.${secretVersion}`).digest('base64');
  return `${secretPrefix}${secret}`;
}

/** The secrets that sign the requests of a webhook now: for some time after a rotation there are two. */
export const signingSecrets = (webhook: Webhook): Promise<string[]> =>
  Promise.all(signingVersions(webhook).map((secretVersion) => webhookSecret({ ulid: webhook.ulid, secretVersion })));

const secretPrefix = 'whsec_';

/** The headers of Standard Webhooks for one attempt. */
export function signedHeaders(
  { id, body, atMilliseconds }: { id: string; body: string; atMilliseconds: number },
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const seconds = String(Math.floor(atMilliseconds / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}
