import type { Clock } from '../durable/clock.ts';
import { type Delivery, type NextAttempt, openDeliveryQueue } from '../durable/delivery-queue.ts';
import type { MessageAttributes } from '../sqs/message-digest.ts';
import type { RuleDefinition, RuleTarget } from '../template/read-rules.ts';

// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-retry-policy.html

/** AWS documents exponential back-off with jitter but not its bounds. With these 185 retries take a day. */
const firstRetryMs = 1000;
const maxRetryMs = 512_000;

export type Event = { id: string };
/** An event for one target. `copy` is 0, and greater for an event that is delivered more than once. */
type Queued = { rule: string; target: string; event: Event; copy: number };

export type DeliveryOptions = {
  path: string;
  clock: Clock;
  /** A number in [0, 1) for the jitter of retries. */
  random: () => number;
  rules: readonly RuleDefinition[];
  /** Resolves when the target has accepted the event. */
  deliver: (rule: RuleDefinition, target: RuleTarget, event: Event, copy: number) => Promise<void>;
  sendDeadLetter: (queueArn: string, ruleArn: string, body: string, attributes: MessageAttributes) => Promise<void>;
  report: (error: unknown) => void;
};

/**
 * Delivers events to targets, at least once. A target that fails is tried again as its retry policy says. Then the
 * event goes to the dead-letter queue of the target, or is dropped without one.
 */
export async function openEventDeliveries(options: DeliveryOptions) {
  const { path, clock, random, rules, deliver, report } = options;

  async function attempt(delivery: Delivery<Queued>): Promise<NextAttempt | undefined> {
    const { event, copy, ...names } = delivery.payload;
    const rule = rules.find(({ name }) => name === names.rule);
    const target = rule?.targets.find(({ id }) => id === names.target);
    // The rule or the target was removed from the template.
    if (!rule || !target) return undefined;
    try {
      await deliver(rule, target, event, copy);
      return undefined;
    } catch (thrown) {
      const error = deliveryError(thrown);
      const dueMs = clock.now() + retryDelayMs(delivery.failures, random());
      const exhausted = exhaustedCondition(target, delivery, dueMs);
      if (error.isRetriable && !exhausted) return { dueMs, isFailure: true };
      report(new Error(`The rule ${rule.name} could not deliver an event to ${target.arn}`, { cause: thrown }));
      await giveUp(options, rule, target, delivery, error, error.isRetriable ? exhausted : undefined);
      return undefined;
    }
  }

  return openDeliveryQueue<Queued>({ path, clock, attempt, report });
}

/** Between the half and the whole of a time that doubles with each retry. */
function retryDelayMs(retries: number, random: number): number {
  const fullMs = Math.min(firstRetryMs * 2 ** Math.min(retries, 20), maxRetryMs);
  return Math.round(fullMs * (0.5 + random / 2));
}

function exhaustedCondition(
  { maxRetries, maxAgeSeconds }: RuleTarget,
  { failures, addedMs }: Delivery<Queued>,
  dueMs: number,
): string | undefined {
  if (failures >= maxRetries) return 'MaximumRetryAttempts';
  return dueMs > addedMs + maxAgeSeconds * 1000 ? 'MaximumEventAgeInSeconds' : undefined;
}

async function giveUp(
  { sendDeadLetter, report }: DeliveryOptions,
  rule: RuleDefinition,
  target: RuleTarget,
  { payload, failures }: Delivery<Queued>,
  { code, message }: DeliveryError,
  exhausted: string | undefined,
): Promise<void> {
  if (target.deadLetterArn === undefined) return;
  const values = {
    RULE_ARN: rule.arn,
    TARGET_ARN: target.arn,
    ERROR_CODE: code,
    ERROR_MESSAGE: message,
    RETRY_ATTEMPTS: String(failures),
    ...(exhausted !== undefined && { EXHAUSTED_RETRY_CONDITION: exhausted }),
  };
  const attributes = Object.fromEntries(
    Object.entries(values).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
  );
  // An event that the queue does not accept is lost, as on AWS, which only counts it in a metric.
  await sendDeadLetter(target.deadLetterArn, rule.arn, JSON.stringify(payload.event), attributes).catch(report);
}

/** Why a target did not accept an event. The codes are those of dead letters. */
type DeliveryError = { code: string; message: string; isRetriable: boolean };

/**
 * Errors by name that a repetition does not correct: the permission or the target is missing. EventBridge sends such an
 * event to the dead-letter queue at once. https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 */
const permanentErrors: Record<string, string> = {
  AccessDeniedException: 'NO_PERMISSIONS',
  ResourceNotFoundException: 'NO_RESOURCE',
  StateMachineDoesNotExist: 'NO_RESOURCE',
  InvalidExecutionInput: 'INVALID_PARAMETER',
  ValidationException: 'INVALID_PARAMETER',
  RequestTooLargeException: 'INVALID_PARAMETER',
};

const throttlingErrors = ['TooManyRequestsException', 'ThrottlingException', 'ExecutionLimitExceeded'];

/** Describes what a target threw. */
function deliveryError(thrown: unknown): DeliveryError {
  const { name, message } = thrown instanceof Error ? thrown : { name: '', message: String(thrown) };
  const permanent = permanentErrors[name];
  if (permanent !== undefined) return { code: permanent, message, isRetriable: false };
  const code = throttlingErrors.includes(name) ? 'THROTTLING' : 'ERROR_FROM_TARGET';
  return { code, message, isRetriable: true };
}
