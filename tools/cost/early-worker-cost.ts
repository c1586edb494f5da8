import { prices } from '../../shared/pricing/prices.ts';
import type { IdleItem } from './idle-cost.ts';

/** Assumptions about the early worker of a video of 1080p. No invocation has been measured on AWS. */
export const earlyWorkerAssumptions = {
  /** start, probe, waiting for the plan, audio and the first chunks of the starter */
  busySeconds: 25,
  /** the time after which it exits */
  idleSeconds: 10,
  memoryGb: 10,
  /** of which 0.5 GB are included */
  storageGb: 10,
  includedStorageGb: 0.5,
  /** of two workers: each polls twice a second while it has no job */
  calls: 90,
  secondsOfFunctionPerCall: 0.05,
  gbOfFunction: 0.5,
  readUnitsPerCall: 4,
} as const;

/** The costs in dollars of the early workers of some videos, by item. */
export function earlyWorkerItems(videos: number, assumed: typeof earlyWorkerAssumptions): IdleItem[] {
  const { lambda, httpApi, dynamoDb } = prices;
  const seconds = videos * (assumed.busySeconds + assumed.idleSeconds);
  const memory = seconds * assumed.memoryGb;
  const storage = seconds * (assumed.storageGb - assumed.includedStorageGb);
  const calls = videos * assumed.calls;
  const perCall =
    httpApi.perRequest +
    lambda.perRequest +
    assumed.secondsOfFunctionPerCall * assumed.gbOfFunction * lambda.perGbSecond +
    assumed.readUnitsPerCall * dynamoDb.perReadUnit;
  return [
    { name: 'GB seconds of memory', count: memory, dollars: memory * lambda.perGbSecond },
    { name: 'GB seconds of storage', count: storage, dollars: storage * lambda.perStorageGbSecond },
    { name: 'its calls: API, function, table', count: calls, dollars: calls * perCall },
    { name: 'invocations', count: videos, dollars: videos * lambda.perRequest },
  ];
}
