import { randomUUID } from 'node:crypto';
import type { ObjectEvent } from '../s3/protocol/bucket-settings.ts';
import type { RuleDefinition } from '../template/read-rules.ts';
import { matchesPattern } from './event-pattern.ts';
import { objectCreatedEvent } from './object-created-event.ts';
import { rateMs } from './schedule-expression.ts';

export type EventBusOptions = {
  rules: RuleDefinition[];
  isEnabled: (ruleName: string) => boolean;
  region: string;
  accountId: string;
  /** Starts an execution. Repeating it with the same name and input has no effect. */
  startExecution: (stateMachineArn: string, name: string, input: string) => Promise<unknown>;
  invokeLambda: (functionArn: string, event: unknown) => Promise<unknown>;
  report: (error: unknown) => void;
};

/** Opens the embedded EventBridge, which delivers events of the object store and schedules to the targets of rules. */
export function openEventBus(options: EventBusOptions) {
  const { rules, isEnabled, region, accountId, startExecution, invokeLambda, report } = options;
  const timers: NodeJS.Timeout[] = [];

  async function deliver(rule: RuleDefinition, event: { id: string }): Promise<void> {
    await Promise.all(
      rule.targets.map(({ arn, input, permitted }) => {
        if (!permitted) throw new Error(`No Lambda permission allows the rule ${rule.name} to invoke ${arn}.`);
        if (arn.includes(':states:')) return startExecution(arn, event.id, input ?? JSON.stringify(event));
        if (arn.includes(':lambda:')) return invokeLambda(arn, input === undefined ? event : JSON.parse(input));
        throw new Error(`The embedded EventBridge cannot deliver to ${arn}.`);
      }),
    );
  }

  const tick = (rule: RuleDefinition) =>
    deliver(rule, {
      version: '0',
      id: randomUUID(),
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: accountId,
      time: `${new Date().toISOString().slice(0, 19)}Z`,
      region,
      resources: [rule.arn],
      detail: {},
    } as { id: string });

  return {
    /**
     * Resolves when every target of every matching rule has accepted the event. Otherwise the object store delivers it
     * again.
     */
    async objectCreated(objectEvent: ObjectEvent): Promise<void> {
      const event = objectCreatedEvent(objectEvent, { region, accountId });
      const matching = rules.filter(
        ({ name, pattern }) => pattern && isEnabled(name) && matchesPattern(pattern, event),
      );
      await Promise.all(matching.map((rule) => deliver(rule, event)));
    },

    /** Starts the schedules. Each one fires at once, because there may be work from an earlier run. */
    startSchedules(): void {
      for (const rule of rules) {
        if (rule.schedule === undefined) continue;
        const fire = () => void (isEnabled(rule.name) && tick(rule).catch(report));
        timers.push(setInterval(fire, rateMs(rule.schedule)).unref());
        fire();
      }
    },

    close(): void {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

export type EventBus = ReturnType<typeof openEventBus>;
