import { prices } from '../../shared/pricing/prices.ts';
import type { IdleItem } from './idle-cost.ts';

/** Assumptions about the calls of workers without a job. */
export const idleNodeAssumptions = {
  workers: 20,
  /** a worker, and the fetcher beside it, which calls on its own account also while the worker is busy */
  callersPerWorker: 2,
  /** the mean interval between two calls of a caller that has been idle for a minute */
  secondsPerCall: 17.5,
  secondsOfFunction: 0.05,
  gbOfFunction: 0.5,
  /** the token of the node, its record, the queued users, the leased jobs */
  readUnitsPerCall: 3,
  /** the node's time of its last call is written once in this time */
  secondsPerWrite: 15,
  /** the last call of each caller is written once in this time */
  secondsPerWorkerWrite: 60,
  /** a line of the access log */
  logKbPerCall: 0.4,
} as const;

const secondsPerMonth = 730 * 3600;

/** The costs in dollars of a month of a registered node whose workers find nothing to do, by item. */
export function idleNodeItems(
  assumed: Record<keyof typeof idleNodeAssumptions, number>,
  { tracing = false } = {},
): IdleItem[] {
  const { httpApi, lambda, dynamoDb, xray, cloudWatch } = prices;
  const callers = assumed.workers * assumed.callersPerWorker;
  const callsPerSecond = callers / assumed.secondsPerCall;
  const calls = callsPerSecond * secondsPerMonth;
  const perInvocation = lambda.perRequest + assumed.secondsOfFunction * assumed.gbOfFunction * lambda.perGbSecond;
  const writes =
    secondsPerMonth / assumed.secondsPerWrite + (callers * secondsPerMonth) / assumed.secondsPerWorkerWrite;
  const traces = tracesPerSecond(callsPerSecond) * secondsPerMonth;
  const item = (name: string, count: number, dollars: number): IdleItem => ({
    name,
    count: Math.round(count),
    dollars,
  });
  return [
    item('API requests', calls, calls * httpApi.perRequest),
    item('functions', calls, calls * perInvocation),
    item('table reads', calls, calls * assumed.readUnitsPerCall * dynamoDb.perReadUnit),
    item('table writes', writes, writes * dynamoDb.perWriteUnit),
    ...(tracing ? [item('traces', traces, traces * xray.perTrace)] : []),
    item('lines of the access log', calls, ((calls * assumed.logKbPerCall) / 1e6) * cloudWatch.logGb),
  ];
}

/** X-Ray traces the first request of each second and 5 % of the others. Calls come at random times. */
function tracesPerSecond(callsPerSecond: number): number {
  const first = 1 - Math.exp(-callsPerSecond);
  return first + 0.05 * (callsPerSecond - first);
}
