import { StateFailure } from './state-failure.ts';

/** The limit of Step Functions on inputs and outputs, in bytes of UTF-8 JSON. */
export const MAX_PAYLOAD_BYTES = 262_144;

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? 'null');
}

/**
 * Copies the value as plain JSON, without shared references and JSONata sequences. `what` names the value in the error.
 * @throws StateFailure States.DataLimitExceeded
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
