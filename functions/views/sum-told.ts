import type { Told } from '../table/views/viewer-sessions.ts';

const largest = (...numbers: (number | undefined)[]): number | undefined =>
  numbers.reduce((most, one) => (most === undefined || (one !== undefined && one > most) ? one : most), undefined);

/** What two parts of a playback have told, in any order. */
export function sumOfTold(one: Told, other: Told): Told {
  const startupMilliseconds = largest(one.startupMilliseconds, other.startupMilliseconds);
  const totalStalledMilliseconds = largest(one.totalStalledMilliseconds, other.totalStalledMilliseconds);
  const [waited, waitedBefore] = [waitedBetween(one, other), waitedBetween(other, one)];
  const asked = [one.asked, other.asked].reduce((a, b) => (a && (!b || a.atMs > b.atMs) ? a : b));
  const starvedAtMs =
    (waitedBefore === undefined ? one.starvedAtMs : undefined) ??
    (waited === undefined ? other.starvedAtMs : undefined);
  return {
    ...(asked && { asked }),
    ...(starvedAtMs !== undefined && { starvedAtMs }),
    ...(startupMilliseconds !== undefined && { startupMilliseconds }),
    ...(totalStalledMilliseconds !== undefined && { totalStalledMilliseconds }),
    ...((one.hasFailed || other.hasFailed) && { hasFailed: true }),
    stalledMilliseconds: one.stalledMilliseconds + other.stalledMilliseconds,
    starvations: one.starvations + other.starvations,
    lateMilliseconds: one.lateMilliseconds + other.lateMilliseconds + (waited ?? 0) + (waitedBefore ?? 0),
    errors: one.errors + other.errors,
    kilobits: one.kilobits + other.kilobits,
    kilobitMilliseconds: one.kilobitMilliseconds + other.kilobitMilliseconds,
  };
}

/** Longer between two requests, a viewer has paused. */
const longestWaitMs = 120_000;

/**
 * How much longer playback waited than the response to a request shows, if the next one says that the buffer was empty:
 * the time between both, without what was buffered. So waiting counts that a network has caused on the way.
 */
function waitedBetween({ asked }: Told, { starvedAtMs }: Told): number | undefined {
  if (!asked || starvedAtMs === undefined || asked.atMs >= starvedAtMs) return undefined;
  if (starvedAtMs - asked.atMs > longestWaitMs) return undefined;
  return Math.max(0, starvedAtMs - asked.emptyAtMs - asked.lateMilliseconds);
}
