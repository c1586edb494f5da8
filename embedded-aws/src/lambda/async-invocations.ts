import type { Clock } from '../durable/clock.ts';
import { type Delivery, type NextAttempt, openDeliveryQueue } from '../durable/delivery-queue.ts';
import type { AsyncSettings } from '../template/read-async-settings.ts';
import type { FunctionDefinition } from '../template/read-functions.ts';
import { functionNameIn } from './invoke-service.ts';
import { FunctionNotFound, RequestTooLarge } from './lambda-errors.ts';
import type { Invocation } from './lambda-instance.ts';

// https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html

/** The limit of Lambda on the payload of an asynchronous invocation. */
const maxPayloadBytes = 1024 * 1024;
/** After the first failure of the function, and after the second one. */
const retryDelaysMs = [60_000, 120_000];
const firstThrottleDelayMs = 1000;
const maxThrottleDelayMs = 5 * 60_000;

type AsyncEvent = { functionName: string; event: unknown };
type Condition = 'RetriesExhausted' | 'EventAgeExceeded';

export type AsyncOptions = {
  path: string;
  clock: Clock;
  functions: readonly FunctionDefinition[];
  settingsOf: (functionName: string) => AsyncSettings;
  /** @throws when Lambda cannot start the function, such as TooManyRequests */
  invoke: (functionName: string, event: unknown) => Promise<Invocation>;
  /** Sends the record of an event that was given up to a queue, with the permissions of the function. */
  sendRecord: (queueArn: string, definition: FunctionDefinition, record: string) => Promise<void>;
  /** Logs a failed invocation. */
  onFailure: (functionName: string, invocation: Invocation) => void;
  report: (error: unknown) => void;
};

/** An invocation whose result was lost with the process that ran it. */
const interruption: Invocation = {
  payload: { errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited', trace: [] },
  functionError: 'Unhandled',
};

/** The internal queue of Lambda. Events survive a restart, and are retried as the function is configured. */
export async function openAsyncInvocations(options: AsyncOptions) {
  const { path, clock, functions, settingsOf, report } = options;
  let isClosing = false;

  async function attempt(delivery: Delivery<AsyncEvent>): Promise<NextAttempt | undefined> {
    const { functionName, event } = delivery.payload;
    const definition = functions.find(({ name }) => name === functionName);
    // The function was removed from the template.
    if (!definition) return undefined;
    const { maxRetries, maxAgeSeconds } = settingsOf(functionName);
    const giveUp = (condition: Condition, invocation?: Invocation): Promise<undefined> =>
      sendRecord(options, definition, delivery, condition, invocation);
    if (clock.now() - delivery.addedMs > maxAgeSeconds * 1000) return giveUp('EventAgeExceeded');
    let invocation = interruption;
    try {
      if (!delivery.interrupted) invocation = await options.invoke(functionName, event);
    } catch {
      return { dueMs: clock.now() + throttleDelayMs(delivery.attempts), isFailure: false };
    }
    // The end of this process also ended the function. The queue repeats the attempt after a restart.
    if (!invocation.functionError || isClosing) return undefined;
    // An interruption is no error of the function, and the operator has caused it.
    if (!delivery.interrupted) options.onFailure(functionName, invocation);
    if (delivery.failures >= maxRetries) return giveUp('RetriesExhausted', invocation);
    return { dueMs: clock.now() + retryDelaysMs[delivery.failures]!, isFailure: true };
  }

  const queue = await openDeliveryQueue<AsyncEvent>({ path, clock, attempt, report });
  return {
    /** Resolves when the event is on the disk. @throws FunctionNotFound, RequestTooLarge */
    async enqueue(nameOrArn: string, event: unknown): Promise<void> {
      const functionName = functionNameIn(nameOrArn);
      if (!functions.some(({ name }) => name === functionName)) throw new FunctionNotFound(nameOrArn);
      if (Buffer.byteLength(JSON.stringify(event) ?? 'null') > maxPayloadBytes)
        throw new RequestTooLarge(maxPayloadBytes);
      await queue.add({ functionName, event });
    },
    async close(): Promise<void> {
      isClosing = true;
      await queue.close();
    },
  };
}

export type AsyncInvocations = Awaited<ReturnType<typeof openAsyncInvocations>>;

const throttleDelayMs = (attempts: number): number =>
  Math.min(firstThrottleDelayMs * 2 ** Math.min(attempts, 10), maxThrottleDelayMs);

/** https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html */
async function sendRecord(
  { clock, settingsOf, sendRecord: send, report }: AsyncOptions,
  definition: FunctionDefinition,
  { id, payload, attempts, interrupted }: Delivery<AsyncEvent>,
  condition: Condition,
  invocation?: Invocation,
): Promise<undefined> {
  const { onFailureQueueArn } = settingsOf(definition.name);
  if (onFailureQueueArn === undefined) return;
  const record = {
    version: '1.0',
    timestamp: new Date(clock.now()).toISOString(),
    requestContext: {
      requestId: id,
      functionArn: `${definition.arn}:$LATEST`,
      condition,
      approximateInvokeCount: attempts + (invocation && !interrupted ? 1 : 0),
    },
    requestPayload: payload.event,
    ...(invocation && {
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: invocation.functionError },
      responsePayload: invocation.payload,
    }),
  };
  // A record that the queue does not accept is lost, as on AWS, which only counts it in a metric.
  await send(onFailureQueueArn, definition, JSON.stringify(record)).catch(report);
}
