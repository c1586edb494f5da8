import { join } from 'node:path';
import { systemClock } from '../durable/clock.ts';
import { openEventBus } from '../eventbridge/event-bus.ts';
import { eventsService } from '../eventbridge/eventbridge-operations.ts';
import { openRuleStates } from '../eventbridge/rule-states.ts';
import { authorize } from '../iam/authorize.ts';
import type { Role } from '../iam/principals.ts';
import type { Sqs } from '../sqs/sqs.ts';
import type { StepFunctions } from '../step-functions/step-functions.ts';
import { roleNameOf } from '../template/read-roles.ts';
import { readEventBuses, readRules } from '../template/read-rules.ts';
import { accountId, region } from '../template/resource-identity.ts';
import type { StackContext } from './stack-context.ts';
import type { StackPrincipals } from './stack-principals.ts';

type Targets = { states: StepFunctions; enqueue: (functionArn: string, event: unknown) => Promise<void>; sqs: Sqs };

/** The event bus with the rules of the template, and the service that lists and switches them. */
export async function openRules(stack: StackContext, principals: StackPrincipals, { states, enqueue, sqs }: Targets) {
  const { options, template, shutdown } = stack;
  const rules = readRules(template);
  const ruleStates = await openRuleStates(join(options.dataFolder, 'rules.json'), rules);
  const roles = new Map<string, Role>();
  const inRole = (roleArn: string): Role => {
    const name = roleNameOf(roleArn);
    const role = roles.get(name) ?? principals.ofService('events.amazonaws.com', `events-${name}`, name);
    roles.set(name, role);
    return role;
  };
  const bus = await openEventBus({
    path: join(options.dataFolder, 'events.journal'),
    clock: systemClock(),
    rules,
    isEnabled: ruleStates.isEnabled,
    region,
    accountId,
    async startExecution(stateMachineArn, name, input, roleArn) {
      authorize(inRole(roleArn), 'states:StartExecution', stateMachineArn);
      return states.call('StartExecution', { stateMachineArn, name, input });
    },
    invokeLambda: enqueue,
    chaos: options.chaos?.events,
    sendDeadLetter: (queueArn, ruleArn, body, attributes) =>
      sqs.send(queueArn, { service: 'events.amazonaws.com', sourceArn: ruleArn }, body, attributes),
    report: stack.reportTo('events'),
  });
  shutdown.onClose(bus.close);
  const service = eventsService({
    rules,
    states: ruleStates,
    buses: readEventBuses(template),
    region,
    accountId,
    publish: bus.publishTo,
  });
  return { bus, service };
}
