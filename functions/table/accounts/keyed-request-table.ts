import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import type { KeyedRequest } from '../../common/keyed-request.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** For how long a response is kept. */
const keptSeconds = 24 * 3600;

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

const keyedRequestRecord = z.object({
  contentHash: z.string(),
  /** 0 after a call that has failed */
  leaseUntil: z.number(),
  choices: bytes,
  status: z.int().optional(),
  body: bytes.optional(),
  expiresAt: z.number(),
});
export type StoredRequest = z.infer<typeof keyedRequestRecord>;

/** Records a request, unless another call with its key has done so. */
export const claimWrite = ({ id, contentHash, leaseUntil, replacedLease, choices, seal }: KeyedRequest) => ({
  put: {
    ...keys.keyedRequest(id),
    kind: 'keyed-request',
    contentHash,
    leaseUntil,
    choices: seal(choices),
    expiresAt: nowSeconds() + keptSeconds,
  },
  when: replacedLease === undefined ? { exists: false } : { equals: { leaseUntil: replacedLease } },
});

/** What is known of a request with an Idempotency-Key, for 24 hours. */
export async function findKeyedRequest(id: string): Promise<StoredRequest | undefined> {
  const found = await getItem(keyedRequestRecord, keys.keyedRequest(id));
  if (!found || found.expiresAt > nowSeconds()) return found;
  // DynamoDB removes it some time later.
  await tryWrite({ delete: keys.keyedRequest(id), when: { equals: { expiresAt: found.expiresAt } } });
  return undefined;
}

/** Takes over a request whose call has ended without a response. False when another call was faster. */
export const takeOver = ({ id, leaseUntil, replacedLease }: KeyedRequest): Promise<boolean> =>
  tryWrite({
    update: keys.keyedRequest(id),
    set: { leaseUntil },
    when: { equals: { leaseUntil: replacedLease }, absent: ['status'] },
  });

/** Stores the response. False when another call with the key was faster. */
export function storeResponse(request: KeyedRequest, status: number, body: Uint8Array): Promise<boolean> {
  const { id, leaseUntil, state } = request;
  if (state !== 'new')
    return tryWrite({ update: keys.keyedRequest(id), set: { status, body }, when: { equals: { leaseUntil } } });
  // Nothing was changed that has an entry in an activity, for example because the request was refused.
  const { put, when } = claimWrite(request);
  return tryWrite({ put: { ...put, status, body }, when });
}

/** Lets the next call with the key continue at once. */
export const endLease = ({ id, leaseUntil }: KeyedRequest): Promise<boolean> =>
  tryWrite({ update: keys.keyedRequest(id), set: { leaseUntil: 0 }, when: { equals: { leaseUntil } } });
