import { openEventBus } from '../eventbridge/event-bus.ts';
import { eventsService, eventsTarget } from '../eventbridge/eventbridge-operations.ts';
import type { RuleDefinition } from '../template/read-rules.ts';
import { accountId, region } from '../template/resource-identity.ts';
import { serveControl } from './serve-control.ts';
import type { TestClock } from './test-clock.ts';

/** A rule for events of one source and type, which invokes a function. */
export type FunctionRule = { busName: string; source: string; detailType: string; functionArn: string };

export type EventBusServer = {
  /** Keeps accepted events. */
  path: string;
  clock: TestClock;
  busName: string;
  rules: readonly FunctionRule[];
  invokeLambda: (functionArn: string, event: unknown) => Promise<void>;
};

/** Serves an event bus whose rules invoke functions. */
export async function serveEventBus({ path, clock, busName, rules: given, invokeLambda }: EventBusServer) {
  const arnOf = (name: string): string => `arn:aws:events:${region}:${accountId}:${name}`;
  const rules = given.map(
    (rule): RuleDefinition => ({
      name: `${rule.busName}|${rule.detailType}`,
      busName: rule.busName,
      enabled: true,
      schedule: undefined,
      arn: arnOf(`rule/${rule.busName}/${rule.detailType}`),
      pattern: { source: [rule.source], 'detail-type': [rule.detailType] },
      targets: [
        {
          id: 'Target0',
          arn: rule.functionArn,
          input: undefined,
          roleArn: undefined,
          maxRetries: 0,
          maxAgeSeconds: 60,
          deadLetterArn: undefined,
          permitted: true,
        },
      ],
    }),
  );
  const unexpected = (): never => {
    throw new Error('Only functions are targets of this bus, and they do not fail.');
  };
  const bus = await openEventBus({
    region,
    accountId,
    path,
    clock,
    rules,
    invokeLambda,
    isEnabled: () => true,
    startExecution: unexpected,
    sendDeadLetter: unexpected,
    report(error) {
      throw error;
    },
  });
  const states = { isEnabled: () => true, setEnabled: async () => {} };
  const buses = [{ name: busName, arn: arnOf(`event-bus/${busName}`) }];
  const service = eventsService({ region, accountId, rules, states, buses, publish: bus.publishTo });
  const served = await serveControl({ region, targets: new Map([[eventsTarget, service]]) });
  return {
    ...served,
    async stop(): Promise<void> {
      await served.stop();
      await bus.close();
    },
  };
}
