import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';
import { readInvokePermissions } from './invoke-permissions.ts';

export type RuleDefinition = ReturnType<typeof readRules>[number];

/** Fields of an event with lists of alternatives, nested like the event. */
export type EventPattern = { [field: string]: EventPattern | unknown[] };

const ruleProperties = z.object({
  State: z.string().default('ENABLED'),
  EventPattern: z.custom<EventPattern>().optional(),
  ScheduleExpression: z.string().optional(),
  Targets: z.array(z.object({ Arn: z.string(), Input: z.string().optional() })).default([]),
});

/** The rules of the event bus. `permitted`: the target's resource-based policy allows the rule to invoke it. */
export function readRules(template: DeployedTemplate) {
  const mayInvoke = readInvokePermissions(template);
  return template.resources('AWS::Events::Rule').map(({ ref, arn, properties }) => {
    const { State, EventPattern, ScheduleExpression, Targets } = ruleProperties.parse(properties);
    const targets = Targets.map(({ Arn, Input }) => ({
      arn: Arn,
      input: Input,
      permitted: !Arn.includes(':lambda:') || mayInvoke(Arn, 'events.amazonaws.com', arn!),
    }));
    const enabled = State === 'ENABLED';
    return { name: ref, arn, enabled, pattern: EventPattern, schedule: ScheduleExpression, targets };
  });
}
