import { type AccountLimits, newAccountLimits, usualLimits } from '../account/account-limits.ts';
import type { DynamoChaos } from '../dynamodb/storage/dynamo-chaos.ts';
import type { EcsChaos } from '../ecs/ecs-chaos.ts';
import type { EventChaos } from '../eventbridge/event-bus.ts';
import type { EventSourceChaos } from '../lambda/event-sources/event-sources.ts';
import type { StatesChaos } from '../step-functions/api/throttled-operations.ts';

/** Behaviours that AWS documents but rarely shows. Without these settings none of them occurs. */
export type Chaos = {
  dynamodb?: DynamoChaos;
  ecs?: EcsChaos;
  events?: EventChaos;
  states?: StatesChaos;
  lambda?: { eventSources: EventSourceChaos };
  /** The quotas of the account. By default those of one that has been in use for some time. */
  account?: AccountLimits;
  /** Functions of the distribution read a write to their store up to this time later. */
  cloudfront?: { maxPropagationMs: number };
};

/** Every behaviour, often enough that a run of a few minutes meets it. The times of ECS are a tenth of those of AWS. */
export const fullChaos: Chaos = {
  dynamodb: { indexLagMs: 2000, writeUnitsPerSecond: 1000, readUnitsPerSecond: 3000 },
  ecs: {
    listDelayMs: 10_000,
    startDelayMs: [3000, 6000],
    throttledShare: 0.1,
    noCapacityShare: 0.1,
    interruptedShare: 0.1,
    interruptedAfterMs: 60_000,
  },
  states: { throttledShare: 0.1 },
  events: { duplicatedShare: 0.2, maxDelayMs: 5000 },
  lambda: { eventSources: { duplicatedShare: 0.2 } },
  // Not its few tasks: most of the other behaviours need several.
  account: { ...usualLimits, concurrentExecutions: newAccountLimits.concurrentExecutions },
  cloudfront: { maxPropagationMs: 5000 },
};

/** Only the quotas of an account in which nothing has run yet. */
export const newAccountChaos: Chaos = { account: newAccountLimits };
