export type WebhookErrorCode =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'too_old'
  | 'too_new'
  | 'invalid_signature'
  | 'no_matching_signature'
  | 'invalid_secret'
  | 'invalid_body';

/** A webhook request must not be trusted, or cannot be verified. Answer it with 400, or 500 for `invalid_secret`. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}
