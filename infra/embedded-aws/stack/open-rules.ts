import { join } from 'node:path';
import { openEventBus } from '../eventbridge/event-bus.ts';
import { eventsService } from '../eventbridge/eventbridge-operations.ts';
import { openRuleStates } from '../eventbridge/rule-states.ts';
import type { StepFunctions } from '../step-functions/step-functions.ts';
import { readRules } from '../template/read-rules.ts';
import { accountId, region, type StackContext } from './stack-context.ts';

type Targets = { states: StepFunctions; invoke: (functionArn: string, event: unknown) => Promise<unknown> };

/** The event bus with the rules of the template, and the service that lists and switches them. */
export async function openRules(stack: StackContext, { states, invoke }: Targets) {
  const { options, template, shutdown } = stack;
  const rules = readRules(template);
  const ruleStates = await openRuleStates(join(options.dataFolder, 'rules.json'), rules);
  const bus = openEventBus({
    rules,
    isEnabled: ruleStates.isEnabled,
    region,
    accountId,
    startExecution: (stateMachineArn, name, input) => states.call('StartExecution', { stateMachineArn, name, input }),
    invokeLambda: invoke,
    report: stack.reportTo('events'),
  });
  shutdown.onClose(bus.close);
  return { bus, service: eventsService(rules, ruleStates) };
}
