import type { KnownTask } from './task-process.ts';

/** What ECS may do at any time, although it rarely does. Without these settings it does none of it. */
export type EcsChaos = {
  /** ListTasks shows a new task, and forgets a stopped one, up to this time later. */
  listDelayMs: number;
  /** The shortest and the longest time until the containers of a task start. */
  startDelayMs: readonly [number, number];
  /** The share of the calls of RunTask that are throttled, and of those that find no capacity. */
  throttledShare: number;
  noCapacityShare: number;
  /** The share of Spot tasks that are interrupted, and the longest time until then. */
  interruptedShare: number;
  interruptedAfterMs: number;
};

export const noCapacityReason =
  'Capacity is unavailable at this time. Please try again later or in a different availability zone';

const between = (from: number, to: number): number => from + Math.random() * (to - from);

export const startDelayOf = (chaos: EcsChaos | undefined): number => (chaos ? between(...chaos.startDelayMs) : 0);

/** How long a Spot task runs until it is interrupted; undefined for never. */
export const interruptionOf = (chaos: EcsChaos | undefined): number | undefined =>
  chaos && Math.random() < chaos.interruptedShare ? between(0, chaos.interruptedAfterMs) : undefined;

/** Whether ListTasks shows a task as running. Each task has its own delay, which does not change from call to call. */
export function isListedAsRunning({ arn, createdAtMs, state }: KnownTask, chaos: EcsChaos | undefined): boolean {
  const delayMs = (chaos?.listDelayMs ?? 0) * shareOf(arn);
  const isListed = Date.now() >= createdAtMs + delayMs;
  return isListed && (state.stoppedAtMs === undefined || Date.now() < state.stoppedAtMs + delayMs);
}

/** A number from 0 to 1 from the random id at the end of an ARN. */
const shareOf = (arn: string): number => Number.parseInt(arn.slice(-4), 16) / 0xffff;
