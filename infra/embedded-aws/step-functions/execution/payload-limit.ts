import { StateFailure } from './state-failure.ts';

/** The service's limit on anything passed between states, in UTF-8 bytes of JSON. */
export const MAX_PAYLOAD_BYTES = 262_144;

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? 'null');
}

/**
 * The value as plain JSON of its own (no shared parts, no JSONata sequences).
 * Throws StateFailure States.DataLimitExceeded, in which `what` names it, when it is too large.
 */
export function toPayload(value: unknown, what: string): unknown {
  const text = JSON.stringify(value) ?? 'null';
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) {
    throw new StateFailure(
      'States.DataLimitExceeded',
      `${what} has a size exceeding the maximum number of bytes service limit.`,
    );
  }
  return JSON.parse(text);
}
