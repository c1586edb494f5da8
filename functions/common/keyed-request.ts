import { AsyncLocalStorage } from 'node:async_hooks';

/** A request with an Idempotency-Key, while its handler runs. */
export type KeyedRequest = {
  /** of its user, operation and key */
  id: string;
  /** of what it asks for: another request must not have the key */
  contentHash: string;
  /**
   * `new` until a transaction has recorded it together with what it asks for, `claimed` from then on. `committed` when
   * an earlier call did that, which has ended without a response.
   */
  state: 'new' | 'claimed' | 'committed';
  /** seconds since 1970 until which other calls wait for the response of this one */
  leaseUntil: number;
  /** the lease of an earlier call, which has ended */
  replacedLease?: number;
  /** IDs and secrets that the handler has chosen, by kind: a repeat chooses the same */
  choices: Record<string, unknown[]>;
  /** how many of the choices this call has made */
  made: Record<string, number>;
  /** the choices as they are stored */
  seal: (choices: KeyedRequest['choices']) => Uint8Array;
  /** The write that records the request. Here, so that other functions need no access to these records. */
  claim: () => object;
};

export const keyedRequest = new AsyncLocalStorage<KeyedRequest>();

/** Another call with the key was faster. */
export class RequestRepeated extends Error {
  override readonly name = 'RequestRepeated';
}

/** A value that is chosen once: a call that continues a request with an Idempotency-Key gets that of the first call. */
export function chosen<Value>(kind: string, choose: () => Value): Value {
  const request = keyedRequest.getStore();
  if (!request) return choose();
  const position = request.made[kind] ?? 0;
  request.made[kind] = position + 1;
  request.choices[kind] ??= [];
  const known = request.choices[kind];
  if (position < known.length) return known[position] as Value;
  const value = choose();
  known[position] = value;
  // What is waited for is known when the transaction begins, which is after it.
  if (value instanceof Promise) {
    const remember = (result: unknown): void => {
      known[position] = result;
    };
    value.then(remember, () => {});
  }
  return value;
}
