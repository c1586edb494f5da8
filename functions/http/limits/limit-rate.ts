import { nowSeconds } from '../../../shared/clock.ts';
import { TooManyRequests } from '../../common/errors.ts';
import { rateLimits } from '../../contracts/route-declaration.ts';
import { countRequest, type RateState } from '../../table/accounts/rate-limit-table.ts';
import type { Call } from '../call.ts';
import { clientNetwork } from '../client-network.ts';

/**
 * Counts the request against the limit of its user, or of its network if it is not authenticated. Each upload token has
 * a limit of its own, so that the holder of one cannot block its owner.
 * @throws TooManyRequests
 */
export async function limitRequestRate(call: Call): Promise<void> {
  const kind = call.route.declaration.rate ?? 'default';
  if (kind === 'unlimited') return;
  const caller = call.direct?.ulid ?? call.user?.ulid ?? clientNetwork(call.sourceIp);
  const state = await countRequest(`${kind}#${caller}`, rateLimits[kind]);
  Object.assign(call.headers, rateHeaders(state));
  if (state.exceeded) throw new TooManyRequests(retryAfterSeconds(state));
}

export const retryAfterSeconds = ({ resetsAtSeconds }: RateState): number =>
  Math.max(1, resetsAtSeconds - nowSeconds());

export const rateHeaders = ({ limit, remaining, resetsAtSeconds }: RateState): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetsAtSeconds),
});
