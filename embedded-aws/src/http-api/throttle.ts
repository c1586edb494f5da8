import type { StageThrottle, ThrottleSettings } from '../template/read-throttle.ts';

/**
 * The throttling of a stage: each request takes a token of its route, and one of the account. Returns whether there
 * were both. Settings that replace others in `stage` count from the next request on, with a full bucket. AWS does not
 * document whether routes without settings share the tokens of the default: here they do.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html
 */
export function createThrottle(
  stage: StageThrottle,
  nowMs: () => number = () => performance.now(),
): (routeKey: string | undefined) => boolean {
  const buckets = new WeakMap<ThrottleSettings, () => boolean>();
  const take = (settings: ThrottleSettings): boolean => {
    const bucket = buckets.get(settings) ?? createTokenBucket(settings, nowMs);
    buckets.set(settings, bucket);
    return bucket();
  };
  const { account, routes } = stage;
  return (routeKey) =>
    // A request over the limit of its route takes no token that all routes share.
    take((routeKey !== undefined && routes.get(routeKey)) || stage.defaultRoute) && take(account);
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
