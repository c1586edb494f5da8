import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verifyWebhook, type WebhookHeaders } from '../../../client/webhooks/verify-webhook.ts';

const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`;
const otherSecret = `whsec_${btoa('another secret of thirty-two byt')}`;
const now = new Date('2026-11-22T10:00:00Z');
const body = JSON.stringify({
  type: 'video.completed',
  timestamp: '2026-11-22T10:00:00Z',
  data: { ulid: 'V', name: 'Über' },
});

const secondsFromNow = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);

/** The headers of a request that the reference implementation signs. */
function signedHeaders(text = body, by = secret, at = now): Record<string, string> {
  return {
    'webhook-id': '01KAH0Z5M2P4R6T8W0Y2A4C6E8',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('01KAH0Z5M2P4R6T8W0Y2A4C6E8', at, text),
  };
}

const verify = (headers: WebhookHeaders, secrets: string | string[] = secret, text: string | Uint8Array = body) =>
  verifyWebhook(text, headers, secrets, { now });

test('a request that the reference implementation signed is verified', async () => {
  expect(await verify(signedHeaders())).toEqual(JSON.parse(body));
});

test.each<[string, () => WebhookHeaders]>([
  ['of fetch', () => new Headers(signedHeaders())],
  ['in capitals', () => Object.fromEntries(Object.entries(signedHeaders()).map(([k, v]) => [k.toUpperCase(), v]))],
  ['as lists', () => Object.fromEntries(Object.entries(signedHeaders()).map(([k, v]) => [k, [v]]))],
])('headers %s are read', async (_, headers) => {
  expect(await verify(headers())).toMatchObject({ type: 'video.completed' });
});

test('a body of bytes is verified as it is', async () => {
  const bytes = new TextEncoder().encode(body);
  expect(await verify(signedHeaders(), secret, bytes)).toMatchObject({ data: { name: 'Über' } });
  expect(await verifyWebhook(bytes.buffer, signedHeaders(), secret, { now })).toMatchObject({ data: { ulid: 'V' } });
});

test('while a secret is rotated, either of several signatures or secrets is enough', async () => {
  const headers = signedHeaders();
  const both = `v1a,ignored ${signedHeaders(body, otherSecret)['webhook-signature']} ${headers['webhook-signature']}`;
  expect(await verify({ ...headers, 'webhook-signature': both })).toMatchObject({ type: 'video.completed' });
  expect(await verify(headers, [otherSecret, secret])).toMatchObject({ type: 'video.completed' });
  expect(await verify(headers, [secret.slice('whsec_'.length)])).toMatchObject({ type: 'video.completed' });
});

test.each([
  ['missing_header', 'webhook-id', () => verify({ ...signedHeaders(), 'webhook-id': '' })],
  ['missing_header', 'webhook-signature', () => verify({ ...signedHeaders(), 'webhook-signature': undefined })],
  ['invalid_timestamp', 'seconds', () => verify({ ...signedHeaders(), 'webhook-timestamp': '2026-11-22' })],
  ['too_old', '301 s ago', () => verify(signedHeaders(body, secret, secondsFromNow(-301)))],
  ['too_new', 'Check the clock', () => verify(signedHeaders(body, secret, secondsFromNow(301)))],
  ['invalid_signature', 'v1,Base64', () => verify({ ...signedHeaders(), 'webhook-signature': 'v1a,AAAA v1,*' })],
  ['no_matching_signature', 'raw body', () => verify(signedHeaders(), otherSecret)],
  ['no_matching_signature', 'raw body', () => verify(signedHeaders(), secret, body.replace('completed', 'failed'))],
  ['no_matching_signature', 'raw body', () => verify({ ...signedHeaders(), 'webhook-id': 'another' })],
  ['no_matching_signature', 'raw body', () => verify({ ...signedHeaders(), 'webhook-signature': 'v1,AAAA' })],
  ['invalid_secret', 'whsec_', () => verify(signedHeaders(), 'whsec_*')],
  ['invalid_secret', 'no secret', () => verify(signedHeaders(), [])],
  ['invalid_body', 'not JSON', () => verify(signedHeaders('hello'), secret, 'hello')],
])('%s is named as the cause, with what to do (%s)', async (code, text, call) => {
  await expect(call()).rejects.toMatchObject({
    name: 'WebhookVerificationError',
    code,
    message: expect.stringContaining(text),
  });
});

test('the tolerance can be chosen', async () => {
  const headers = signedHeaders(body, secret, secondsFromNow(-900));
  expect(await verifyWebhook(body, headers, secret, { now, toleranceSeconds: 1000 })).toMatchObject({ data: {} });
});

test('a parsed body is refused with a hint', async () => {
  await expect(verifyWebhook(JSON.parse(body), signedHeaders(), secret)).rejects.toThrow('raw body');
});
