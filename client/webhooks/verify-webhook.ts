import { type WebhookErrorCode, WebhookVerificationError } from './webhook-error.ts';

/** The body of a webhook request. */
export type WebhookEvent<Data = Record<string, unknown>> = {
  /** such as `video.completed` */
  type: string;
  /** ISO 8601 */
  timestamp: string;
  data: Data;
};

/** Headers of `fetch`, or of a request of Node or Express. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** How far the clock of the sender may differ, and how old a request may be. The default is 300. */
  toleranceSeconds?: number;
  /** The default is the current time. */
  now?: Date;
};

/** `CryptoKey`, whose type has no common name in Node and browsers. */
type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const defaultToleranceSeconds = 300;
const secretPrefix = 'whsec_';

/**
 * Verifies a request by the specification of Standard Webhooks, and returns its event.
 * @param body the raw body. A body that was parsed and serialized again may differ from what was signed.
 * @param secrets `whsec_…`; several while a secret is rotated
 * @throws WebhookVerificationError, whose `code` names the cause
 */
export async function verifyWebhook<Data = Record<string, unknown>>(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent<Data>> {
  const bytes = bytesOf(body);
  const keys = await Promise.all([secrets].flat().map(importSecret));
  if (keys.length === 0) throw failure('invalid_secret', 'There is no secret to verify with.');
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = readSignatures(headerOf(headers, 'webhook-signature'));
  checkTimestamp(timestamp, now, toleranceSeconds);
  const signed = concatenated(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  if (!(await isSigned(signed, keys, signatures))) {
    const message =
      'No signature of the request fits its body and the secret. Verify the raw body, as it was received.';
    throw failure('no_matching_signature', message);
  }
  return parse<Data>(bytes);
}

const failure = (code: WebhookErrorCode, message: string) => new WebhookVerificationError(code, message);

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw new TypeError('Pass the raw body of the request: a string or bytes, not a parsed object.');
}

/** `verify` compares in constant time. */
async function importSecret(secret: string): Promise<HmacKey> {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  const bytes = fromBase64(text);
  if (!bytes?.length) throw failure('invalid_secret', 'The secret is not whsec_ followed by Base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : recordValue(headers, name);
  if (value === null || value === undefined || value === '') {
    throw failure('missing_header', `The request has no header ${name}.`);
  }
  return value;
}

const isFetchHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function';

function recordValue(headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string) {
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  return typeof value === 'string' ? value : value?.join(' ');
}

/** The signatures of version 1. Others are of versions that are not known here. */
function readSignatures(header: string): Uint8Array<ArrayBuffer>[] {
  const signatures = header
    .split(' ')
    .filter((entry) => entry.startsWith('v1,'))
    .map((entry) => fromBase64(entry.slice('v1,'.length)))
    .filter((bytes) => bytes !== undefined);
  if (signatures.length === 0) {
    throw failure('invalid_signature', 'The header webhook-signature has no signature of the form v1,Base64.');
  }
  return signatures;
}

function checkTimestamp(text: string, now: Date, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(text)) {
    throw failure('invalid_timestamp', 'The header webhook-timestamp is not a number of seconds since 1970.');
  }
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(text);
  if (ageSeconds > toleranceSeconds) {
    throw failure('too_old', `The request was signed ${ageSeconds} s ago; ${toleranceSeconds} s are allowed.`);
  }
  if (-ageSeconds > toleranceSeconds) {
    throw failure('too_new', `The request was signed ${-ageSeconds} s in the future. Check the clock of this machine.`);
  }
}

function concatenated(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  keys: readonly HmacKey[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const pairs = keys.flatMap((key) => signatures.map((signature) => ({ key, signature })));
  const results = await Promise.all(
    pairs.map(({ key, signature }) => crypto.subtle.verify('HMAC', key, signature, signed)),
  );
  return results.includes(true);
}

function parse<Data>(bytes: Uint8Array): WebhookEvent<Data> {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as WebhookEvent<Data>;
  } catch {
    throw failure('invalid_body', 'The signature is right, but the body is not JSON.');
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
