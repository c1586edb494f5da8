import type { StageThrottle, ThrottleSettings } from '../template/read-throttle.ts';

/**
 * The throttling of a stage: each request takes a token of its route, and one of the account. Returns whether there
 * were both. AWS does not document whether routes without settings share the tokens of the default: here they do.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html
 */
export function createThrottle(
  { account, defaultRoute, routes }: StageThrottle,
  nowMs: () => number = () => performance.now(),
): (routeKey: string | undefined) => boolean {
  const takeOfAccount = createTokenBucket(account, nowMs);
  const takeOfDefault = createTokenBucket(defaultRoute, nowMs);
  const takeOfRoute = new Map([...routes].map(([key, settings]) => [key, createTokenBucket(settings, nowMs)]));
  return (routeKey) => {
    const take = (routeKey !== undefined && takeOfRoute.get(routeKey)) || takeOfDefault;
    // A request over the limit of its route takes no token that all routes share.
    return take() && takeOfAccount();
  };
}

function createTokenBucket({ ratePerSecond, burst }: ThrottleSettings, nowMs: () => number): () => boolean {
  let tokens = burst;
  let filledMs = nowMs();
  return () => {
    const now = nowMs();
    tokens = Math.min(burst, tokens + ((now - filledMs) / 1000) * ratePerSecond);
    filledMs = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
