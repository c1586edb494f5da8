/**
 * What can be wrong with a field of a request. The responses of status 422 name the codes beside the English sentences,
 * so that clients can word them in the language of their users.
 */
export const fieldErrorCodes = [
  'required',
  'prohibited',
  'wrong_type',
  // These have the limit.
  'too_short',
  'too_long',
  'too_few',
  'too_many',
  'too_small',
  'too_large',
  // texts
  'format',
  'email',
  'url',
  'date',
  // choices and other records
  'unknown',
  'taken',
  // sign-in and passwords
  'credentials',
  'wrong_password',
  'confirmation',
  'leaked_password',
  // what the service connects to
  'scheme',
  'url_credentials',
  'not_public',
  'loopback',
  'no_ipv6',
  'node_address',
  // SSH keys
  'key_format',
  'key_passphrase',
  'key_type',
  'key_pair',
  // anything else: the sentence says it
  'invalid',
] as const;
export type FieldErrorCode = (typeof fieldErrorCodes)[number];

/** `message` is the sentence in English, `limit` the bound that the value exceeds. */
export type FieldError = { code: FieldErrorCode; message: string; limit?: number | undefined };

/** By field, dotted where nested. A sentence alone has the code `invalid`. */
export type FieldErrors = Record<string, (string | FieldError)[]>;

export const messagesOf = (errors: FieldErrors): Record<string, string[]> =>
  mapFields(errors, (one) => (typeof one === 'string' ? one : one.message));

export const codesOf = (errors: FieldErrors): Record<string, Omit<FieldError, 'message'>[]> =>
  mapFields(errors, (one) => {
    if (typeof one === 'string') return { code: 'invalid' };
    const { code, limit } = one;
    return limit === undefined ? { code } : { code, limit };
  });

/** Without a prototype, since a client may send a field named `constructor`. */
const mapFields = <Value>(errors: FieldErrors, map: (one: string | FieldError) => Value): Record<string, Value[]> =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(errors).map(([field, all]) => [field, all.map(map)])),
  );
