import { hash, randomUUID } from 'node:crypto';
import type { Clock } from '../durable/clock.ts';
import type { ObjectEvent } from '../s3/protocol/bucket-settings.ts';
import { defaultBus } from '../template/event-bus-name.ts';
import { matchesPattern } from '../template/event-pattern.ts';
import type { RuleDefinition, RuleTarget } from '../template/read-rules.ts';
import { type DeliveryOptions, type Event, openEventDeliveries } from './event-deliveries.ts';
import { rateMs } from './schedule-expression.ts';

export type EventBusOptions = Pick<DeliveryOptions, 'path' | 'sendDeadLetter' | 'report'> & {
  rules: RuleDefinition[];
  isEnabled: (ruleName: string) => boolean;
  region: string;
  accountId: string;
  /** Starts an execution with the permissions of a role. */
  startExecution: (stateMachineArn: string, name: string, input: string, roleArn: string) => Promise<unknown>;
  /** Resolves when Lambda has accepted an asynchronous invocation. */
  invokeLambda: (functionArn: string, event: unknown) => Promise<unknown>;
  clock: Clock;
  random?: () => number;
  chaos?: EventChaos | undefined;
};

/** EventBridge delivers at least once, and usually within half a second. */
export type EventChaos = {
  /** The share of events that are delivered twice, 0 to 1. */
  duplicatedShare: number;
  /** Deliveries are late by up to this time. */
  maxDelayMs: number;
};

/** Starting an instance takes a tenth of a second of processor time. */
const betweenStartsMs = 1000;

/** Opens the embedded EventBridge: events of the object store, of functions and of schedules reach targets of rules. */
export async function openEventBus(options: EventBusOptions) {
  const { rules, isEnabled, region, accountId, report, random = Math.random, chaos } = options;
  const timers: NodeJS.Timeout[] = [];
  const deliver = (rule: RuleDefinition, target: RuleTarget, event: Event, copy: number): Promise<void> =>
    deliverTo(options, rule, target, event, copy);
  const deliveries = await openEventDeliveries({ ...options, random, deliver });

  /** Resolves when the event is on the disk for every target. */
  async function publish(rule: RuleDefinition, event: Event): Promise<void> {
    await Promise.all(
      rule.targets.flatMap((target) => {
        const copies = chaos && random() < chaos.duplicatedShare ? [0, 1] : [0];
        return copies.map((copy) =>
          deliveries.add(
            { rule: rule.name, target: target.id, event, copy },
            chaos ? Math.round(random() * chaos.maxDelayMs) : 0,
          ),
        );
      }),
    );
  }

  const tick = (rule: RuleDefinition) =>
    publish(rule, {
      version: '0',
      id: randomUUID(),
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: accountId,
      time: `${new Date().toISOString().slice(0, 19)}Z`,
      region,
      resources: [rule.arn],
      detail: {},
    } as Event);

  /** Resolves when the event is accepted for every matching rule of a bus. */
  async function publishTo(bus: string, event: Event): Promise<void> {
    const matching = rules.filter(
      ({ name, busName, pattern }) => busName === bus && pattern && isEnabled(name) && matchesPattern(pattern, event),
    );
    await Promise.all(matching.map((rule) => publish(rule, event)));
  }

  return {
    /** Resolves when the event is accepted for every matching rule. Otherwise the object store sends it again. */
    async objectCreated(objectEvent: ObjectEvent): Promise<void> {
      const event = objectCreatedEvent(objectEvent, { region, accountId });
      await publishTo(defaultBus, event);
    },

    publishTo,

    /**
     * Starts the schedules. None waits for its first interval, because there may be work from an earlier run. They
     * start one after another: each event starts an instance of a function, and many at a time would slow down the
     * requests of users, at the start and again in each interval.
     */
    startSchedules(): void {
      const scheduled = rules.filter(({ schedule }) => schedule !== undefined);
      for (const [index, rule] of scheduled.entries()) {
        const fire = () => void (isEnabled(rule.name) && tick(rule).catch(report));
        const start = () => {
          timers.push(setInterval(fire, rateMs(rule.schedule!)).unref());
          fire();
        };
        if (index === 0) start();
        else timers.push(setTimeout(start, index * betweenStartsMs).unref());
      }
    },

    async close(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await deliveries.close();
    },
  };
}

export type EventBus = Awaited<ReturnType<typeof openEventBus>>;

/** Resolves when the target has accepted the event. */
async function deliverTo(
  { startExecution, invokeLambda }: EventBusOptions,
  rule: RuleDefinition,
  { arn, input, permitted, roleArn }: RuleTarget,
  event: Event,
  copy: number,
): Promise<void> {
  if (arn.includes(':lambda:')) {
    if (!permitted) throw accessDenied(`No Lambda permission allows the rule ${rule.name} to invoke ${arn}.`);
    await invokeLambda(arn, input === undefined ? event : JSON.parse(input));
  } else if (arn.includes(':states:')) {
    if (roleArn === undefined) throw accessDenied(`The target ${arn} of the rule ${rule.name} has no role.`);
    // A delivery that is repeated because its answer was lost starts no second execution.
    const name = copy === 0 ? event.id : `${event.id}_${copy}`;
    await startExecution(arn, name, input ?? JSON.stringify(event), roleArn).catch((error) => {
      if (error?.name !== 'ExecutionAlreadyExists') throw error;
    });
  } else {
    throw new Error(`The embedded EventBridge cannot deliver to ${arn}.`);
  }
}

const accessDenied = (message: string): Error => Object.assign(new Error(message), { name: 'AccessDeniedException' });

/**
 * The "Object Created" event of EventBridge. Its id is derived from the event, so that a repeated delivery has the same
 * id.
 */
function objectCreatedEvent(event: ObjectEvent, location: { region: string; accountId: string }) {
  const { bucket, key, size, etag, sequencer, reason, time } = event;
  const id = uuidOf(`${bucket}/${key}/${sequencer}`);
  return {
    version: '0',
    id,
    'detail-type': 'Object Created',
    source: 'aws.s3',
    account: location.accountId,
    time: `${time.slice(0, 19)}Z`,
    region: location.region,
    resources: [`arn:aws:s3:::${bucket}`],
    detail: {
      version: '0',
      bucket: { name: bucket },
      object: { key, size, etag, sequencer },
      'request-id': id.replaceAll('-', '').slice(0, 16).toUpperCase(),
      requester: location.accountId,
      'source-ip-address': '127.0.0.1',
      reason,
    },
  };
}

function uuidOf(text: string): string {
  const hex = hash('sha256', text);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
