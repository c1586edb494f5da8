import { request as send } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ControlService, Protocol } from '../../src/control/control-service.ts';
import { authorize } from '../../src/iam/authorize.ts';
import { createPrincipal, createPrincipalLookup } from '../../src/testing/create-principal.ts';
import { credentials, serveControl } from '../../src/testing/serve-control.ts';
import { signRequest, type ToSign } from '../../src/testing/sign-request.ts';

const region = 'local-1';
const now = new Date('2026-11-21T12:00:00Z');
const poor = { accessKeyId: 'LOCALPOOR', secretAccessKey: 'poor' };

let handled: string[];
let endpoint: string;
let stop: () => Promise<void>;

const service = (signingName: string, protocol: Protocol, action?: string): ControlService => ({
  signingName,
  protocol,
  maxBodyBytes: 1000,
  async handle(_, response, body, caller) {
    handled.push(`${signingName} ${body}`);
    authorize(caller, action ?? `${signingName}:Do`, 'arn:aws:x:::thing');
    response.end('{}');
  },
});

beforeEach(async () => {
  handled = [];
  ({ endpoint, stop } = await serveControl({
    region,
    now: () => now,
    find: createPrincipalLookup(
      createPrincipal(credentials),
      createPrincipal(poor, () => false),
    ),
    targets: new Map([['Things', service('things', 'json-1.1')]]),
    forms: new Map([['forms', service('forms', 'query')]]),
    lambda: service('lambda', 'rest-json'),
  }));
});
afterEach(() => stop());

type Sent = Partial<ToSign> & { change?: (signed: Record<string, string>) => Record<string, string>; path?: string };

/** Sends a signed request, changed by `change` after signing, and returns status and error code. */
async function ask({ change = (headers) => headers, path = '/', ...more }: Sent = {}): Promise<string> {
  const body = '{"a":1}';
  const headers = { 'x-amz-target': 'Things.Do', 'content-type': 'application/x-amz-json-1.1' };
  const url = endpoint + path;
  const signed = signRequest({ url, headers, body, service: 'things', region, credentials, date: now, ...more });
  const answer = await fetch(url, { ...signed, headers: change(signed.headers) });
  const text = await answer.text();
  const code =
    answer.headers.get('x-amzn-errortype') ?? /"__type":"(?:[^"]*#)?(\w+)"|<Code>(\w+)</.exec(text)?.slice(1).join('');
  return `${answer.status} ${code ?? ''}`.trim();
}

test('a request with a valid signature reaches its service with its body', async () => {
  expect(await ask()).toBe('200');
  expect(handled).toEqual(['things {"a":1}']);
});

const later = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);
const replaced = (pattern: RegExp, by: string) => (headers: Record<string, string>) => ({
  ...headers,
  authorization: headers.authorization!.replace(pattern, by),
});
const without = (name: string) => (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

test.each<[string, Sent, string]>([
  ['no signature', { change: without('authorization') }, 'MissingAuthenticationTokenException'],
  ['another scheme', { change: replaced(/.*/, 'Bearer x') }, 'MissingAuthenticationTokenException'],
  ['the signature 00', { change: replaced(/Signature=.*/, 'Signature=00') }, 'InvalidSignatureException'],
  ['an empty signature', { change: replaced(/Signature=.*/, 'Signature=') }, 'IncompleteSignatureException'],
  ['another algorithm', { change: replaced(/SHA256/, 'SHA1') }, 'IncompleteSignatureException'],
  ['no credential', { change: replaced(/Credential=[^,]*,/, '') }, 'IncompleteSignatureException'],
  ['a credential in four parts', { change: replaced(/\/aws4_request/, '') }, 'IncompleteSignatureException'],
  ['no date', { change: without('x-amz-date') }, 'IncompleteSignatureException'],
  ['an invalid date', { change: (h) => ({ ...h, 'x-amz-date': 'today' }) }, 'IncompleteSignatureException'],
  [
    'an unknown access key id',
    { credentials: { ...credentials, accessKeyId: 'LOCALNONE' } },
    'UnrecognizedClientException',
  ],
  [
    'a name from the prototype',
    { credentials: { ...credentials, accessKeyId: 'constructor' } },
    'UnrecognizedClientException',
  ],
  ['a wrong secret', { credentials: { ...credentials, secretAccessKey: 'x' } }, 'InvalidSignatureException'],
  [
    "another principal's key",
    { credentials: { ...credentials, accessKeyId: poor.accessKeyId } },
    'InvalidSignatureException',
  ],
  ['another region', { region: 'us-east-1' }, 'InvalidSignatureException'],
  ['a signature for S3', { service: 's3' }, 'InvalidSignatureException'],
  ['another terminator', { change: replaced(/aws4_request/, 'aws5_request') }, 'InvalidSignatureException'],
  ['the scope of yesterday', { change: replaced(/20261121/, '20261120') }, 'InvalidSignatureException'],
  ['a scope without a date', { change: replaced(/\/20261121\//, '//') }, 'InvalidSignatureException'],
  ['a date in 2020', { date: new Date('2020-01-01T00:00:00Z') }, 'InvalidSignatureException'],
  ['six minutes ago', { date: later(-6) }, 'InvalidSignatureException'],
  ['six minutes ahead', { date: later(6) }, 'InvalidSignatureException'],
  ['a target that is not signed', { signedHeaders: ['host', 'x-amz-date'] }, 'InvalidSignatureException'],
  ['a host that is not signed', { signedHeaders: ['x-amz-date', 'x-amz-target'] }, 'InvalidSignatureException'],
  ['one more header', { change: (h) => ({ ...h, 'x-amz-more': '1' }) }, 'InvalidSignatureException'],
  ['another operation', { change: (h) => ({ ...h, 'x-amz-target': 'Things.Other' }) }, 'InvalidSignatureException'],
  ['missing permissions', { credentials: poor }, 'AccessDeniedException'],
])('%s is rejected', async (_, sent, code) => {
  expect(await ask(sent)).toBe(`400 ${code}`);
  if (code !== 'AccessDeniedException') expect(handled).toEqual([]);
});

test('a response contains the time, so that a client can correct its clock', async () => {
  const answer = await fetch(endpoint, { method: 'POST', headers: { 'x-amz-target': 'Things.Do' } });
  expect(answer.headers.get('date')).toBe(now.toUTCString());
});

test('a clock that differs by four minutes is accepted', async () => {
  expect(await ask({ date: later(-4) })).toBe('200');
  expect(await ask({ date: later(4) })).toBe('200');
});

test('a body, path or query other than the signed one is rejected', async () => {
  const url = `${endpoint}/`;
  const headers = { 'x-amz-target': 'Things.Do' };
  const signed = signRequest({ url, headers, body: '{}', service: 'things', region, credentials, date: now });
  const codes = await Promise.all(
    [
      fetch(url, { ...signed, body: '{"more":1}' }),
      fetch(`${url}other`, signed),
      fetch(`${url}?a=1`, signed),
      fetch(`${url}?a=%zz`, signed),
    ].map(async (answer) => (await answer).status),
  );
  expect(codes).toEqual([400, 400, 400, 400]);
  expect(handled).toEqual([]);
});

test('a presigned URL is rejected', async () => {
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${credentials.accessKeyId}/20261121/${region}/things/aws4_request`,
    'X-Amz-Signature': '00',
  });
  expect(await ask({ path: `/?${query}`, change: without('authorization') })).toBe(
    '400 MissingAuthenticationTokenException',
  );
});

test.each(['constructor.x', '__proto__.x', 'toString', 'Other.Do', '', 'hasOwnProperty.call'])(
  'the target "%s" is answered as an unknown operation',
  async (target) => {
    expect(await ask({ headers: { 'x-amz-target': target } })).toBe('400 UnknownOperationException');
  },
);

test('a request to no service is answered', async () => {
  for (const method of ['GET', 'OPTIONS', 'PUT', 'DELETE']) {
    const answer = await fetch(endpoint, { method, headers: { origin: 'http://evil.example' } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([400, null]);
  }
});

test('the query protocol and REST have their own error formats', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const wrong = { ...credentials, secretAccessKey: 'x' };
  expect(await ask({ headers: form, service: 'forms' })).toBe('200');
  expect(await ask({ headers: form, service: 'forms', credentials: wrong })).toBe('403 SignatureDoesNotMatch');
  expect(await ask({ headers: form, service: 'forms', credentials: poor })).toBe('403 AccessDenied');
  expect(await ask({ headers: form, service: 'constructor' })).toBe('400 UnknownOperationException');
  const path = '/2015-03-31/functions/arn%3Aaws%3Alambda/invocations';
  const invoke = (more: Partial<ToSign>) =>
    ask({ path, url: endpoint + path, headers: {}, service: 'lambda', ...more });
  expect(await invoke({})).toBe('200');
  expect(await invoke({ credentials: wrong })).toBe('403 InvalidSignatureException');
  expect(await invoke({ credentials: poor })).toBe('403 AccessDeniedException');
});

test('a body over the limit of its service is rejected', async () => {
  expect(await ask({ body: 'x'.repeat(1001) })).toBe('413 RequestEntityTooLargeException');
});

test('a request with an invalid signature is answered before its body has arrived', async () => {
  const headers = { 'x-amz-target': 'Things.Do', 'content-length': '999' };
  const status = await new Promise((resolve, reject) => {
    const sent = send(endpoint, { method: 'POST', headers }, (answer) => {
      resolve(answer.statusCode);
      sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
  expect(status).toBe(400);
});
