/** What DynamoDB may do at any time, although it rarely does. Without these settings it does none of it. */
export type DynamoChaos = {
  /** Reads of a global secondary index return a state that is up to this time old. */
  indexLagMs: number;
  /** Limits of a partition key. A request over them is throttled. */
  writeUnitsPerSecond: number;
  readUnitsPerSecond: number;
};
