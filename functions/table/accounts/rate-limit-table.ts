import { nowSeconds } from '../../../shared/clock.ts';
import { write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const windowSeconds = 60;

export type RateState = { limit: number; remaining: number; resetsAtSeconds: number; exceeded: boolean };

/** What this process knows of one scope in one window. */
type Tally = { window: number; known: number; unsaved: number };
/** Those of the latest window that a request was counted in. The throttle of the API limits how many there are. */
const tallies = new Map<string, Tally>();
let latestWindow = 0;

/**
 * Counts one request against a limit a minute, in fixed windows. A process adds to the shared count with every
 * thirtieth of the limit: a limit of 300 costs one write for ten requests, and none for fewer requests in a minute.
 * Each process can exceed the limit by that thirtieth. Limits below 60 are exact. Requests above it cost no write.
 */
export async function countRequest(scope: string, limit: number): Promise<RateState> {
  const window = Math.floor(nowSeconds() / windowSeconds);
  const tally = tallyOf(scope, window);
  tally.unsaved += 1;
  const stepRequests = Math.max(1, Math.floor(limit / 30));
  if (tally.unsaved >= stepRequests && tally.known <= limit) {
    const added = tally.unsaved;
    tally.unsaved = 0;
    tally.known = Math.max(tally.known, await addToShared(scope, window, added));
  }
  return stateOf(tally, limit);
}

/** What this process knows of a scope, without counting anything and without a call of the table. */
export function peekRequests(scope: string, limit: number): RateState {
  const window = Math.floor(nowSeconds() / windowSeconds);
  const running = tallies.get(scope);
  return stateOf(running?.window === window ? running : { window, known: 0, unsaved: 0 }, limit);
}

function stateOf({ window, known, unsaved }: Tally, limit: number): RateState {
  const count = known + unsaved;
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetsAtSeconds: (window + 1) * windowSeconds,
    exceeded: count > limit,
  };
}

async function addToShared(scope: string, window: number, count: number): Promise<number> {
  const item = await write({
    update: keys.rate(scope, window),
    set: { kind: 'rate', expiresAt: (window + 2) * windowSeconds },
    add: { value: count },
  });
  return Number(item?.value);
}

function tallyOf(scope: string, window: number): Tally {
  const running = tallies.get(scope);
  if (running?.window === window) return running;
  // All at once: a search for old ones at each new scope would take longer with every caller of the window.
  if (window !== latestWindow) tallies.clear();
  latestWindow = window;
  const fresh = { window, known: 0, unsaved: 0 };
  tallies.set(scope, fresh);
  return fresh;
}
