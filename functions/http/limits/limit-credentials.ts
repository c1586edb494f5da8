import { createBoundedCache } from '../../common/bounded-cache.ts';
import { TooManyRequests } from '../../common/errors.ts';
import { sha256 } from '../../common/secret.ts';
import { rateLimits } from '../../contracts/route-declaration.ts';
import { countRequest, peekRequests, type RateState } from '../../table/accounts/rate-limit-table.ts';
import type { Call } from '../call.ts';
import { clientNetwork } from '../client-network.ts';
import { rateHeaders, retryAfterSeconds } from './limit-rate.ts';

// Tokens and session secrets have 40 random characters and cannot be guessed. These limits bound the cost of checking
// invalid ones. A valid credential is never rejected because of what others send from another network.

/**
 * Hashes of credentials that this instance found valid: a broken client in the same network does not block their
 * owners.
 */
const validCredentials = createBoundedCache<true>(1000);

const networkScope = ({ sourceIp }: Call): string => `credentials#${clientNetwork(sourceIp)}`;

/**
 * Rejects a network that sent too many invalid credentials in this minute, before the table is read again.
 * @throws TooManyRequests
 */
export function rejectThrottledNetwork(call: Call, credential: string): void {
  const state = peekRequests(networkScope(call), rateLimits.credentials);
  if (state.exceeded && !validCredentials.get(sha256(credential))) throw tooMany(call, state);
}

export const rememberValidCredential = (credential: string): void => validCredentials.set(sha256(credential), true);

/**
 * Counts an invalid credential for its network and, if it contains the ID of an existing token, for the token's
 * account.
 * @throws TooManyRequests
 */
export async function countInvalidCredential(call: Call, ownerUlid: string | undefined): Promise<void> {
  const forNetwork = await countRequest(networkScope(call), rateLimits.credentials);
  if (forNetwork.exceeded) throw tooMany(call, forNetwork);
  if (ownerUlid === undefined) return;
  const forAccount = await countRequest(`credentials#${ownerUlid}`, rateLimits.credentialsPerAccount);
  if (forAccount.exceeded) throw tooMany(call, forAccount);
}

function tooMany(call: Call, state: RateState): TooManyRequests {
  Object.assign(call.headers, rateHeaders(state));
  return new TooManyRequests(retryAfterSeconds(state));
}
