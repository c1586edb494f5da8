import { createBoundedCache } from '../common/bounded-cache.ts';
import { TooManyRequests } from '../common/errors.ts';
import { sha256 } from '../common/secret.ts';
import { rateLimits } from '../contracts/route-fact.ts';
import { countRequest, peekRequests, type RateState } from '../table/accounts/rate-limit-table.ts';
import type { Call } from './call.ts';
import { clientNetwork } from './client-network.ts';
import { rateHeaders, retryAfterSeconds } from './limit-rate.ts';

/**
 * Tokens and session secrets have 40 random characters: nobody guesses one, so these limits are there for what wrong ones cost. One that is right is
 * refused for nothing that others send from elsewhere.
 */

/** Credentials that this instance has found right: their owners are not held up by a broken client behind the same address. */
const proven = createBoundedCache<true>(1000);

const scopeOf = ({ sourceIp }: Call): string => `credentials#${clientNetwork(sourceIp)}`;

/**
 * Refuses an address that has sent too many wrong credentials in this minute, before the table is asked for another.
 * @throws TooManyRequests
 */
export function rejectThrottledNetwork(call: Call, credential: string): void {
  const state = peekRequests(scopeOf(call), rateLimits.credentials);
  if (state.exceeded && !proven.get(sha256(credential))) throw tooMany(call, state);
}

export const rememberValidCredential = (credential: string): void => proven.set(sha256(credential), true);

/**
 * Counts a wrong credential for its address and, when it names a token that there is, for the account of that.
 * @throws TooManyRequests
 */
export async function countInvalidCredential(call: Call, ownerUlid: string | undefined): Promise<void> {
  const here = await countRequest(scopeOf(call), rateLimits.credentials);
  if (here.exceeded) throw tooMany(call, here);
  if (ownerUlid === undefined) return;
  const ofAccount = await countRequest(`credentials#${ownerUlid}`, rateLimits.credentialsPerAccount);
  if (ofAccount.exceeded) throw tooMany(call, ofAccount);
}

function tooMany(call: Call, state: RateState): TooManyRequests {
  Object.assign(call.headers, rateHeaders(state));
  return new TooManyRequests(retryAfterSeconds(state));
}
