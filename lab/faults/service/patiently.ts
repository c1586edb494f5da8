import { setTimeout as sleep } from 'node:timers/promises';

const longestMs = 180_000;
const againAfterMs = 500;

/**
 * Repeats an idempotent action until it succeeds, while the service is unavailable. @throws the last error after some
 * minutes
 */
export async function patiently<Result>(act: () => Promise<Result>): Promise<Result> {
  const endMs = Date.now() + longestMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (Date.now() > endMs) throw error;
    }
    await sleep(againAfterMs);
  }
}

type Calls = Record<string, unknown>;

/** The same object with retries in each function. */
export const patient = <Object_ extends Calls>(calls: Object_): Object_ =>
  Object.fromEntries(
    Object.entries(calls).map(([name, value]) => [
      name,
      typeof value === 'function' && name !== 'close'
        ? (...given: unknown[]) => patiently(async () => value(...given))
        : value,
    ]),
  ) as Object_;
