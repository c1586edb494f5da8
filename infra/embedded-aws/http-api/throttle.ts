import type { ThrottleSettings } from '../template/read-throttle.ts';

/**
 * The token bucket of a stage: each request takes a token. Returns whether there was one.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html
 */
export function createThrottle(
  { ratePerSecond, burst }: ThrottleSettings,
  nowMs: () => number = () => performance.now(),
): () => boolean {
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
