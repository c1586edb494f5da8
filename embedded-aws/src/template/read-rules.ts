import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';
import { busNameIn, defaultBus } from './event-bus-name.ts';
import { type EventPattern, requirePattern } from './event-pattern.ts';
import { readInvokePermissions } from './invoke-permissions.ts';

export type RuleDefinition = ReturnType<typeof readRules>[number];
export type BusDefinition = { name: string; arn: string };
export type RuleTarget = RuleDefinition['targets'][number];

const ruleProperties = z.object({
  EventBusName: z.string().default(defaultBus).transform(busNameIn),
  State: z.string().default('ENABLED'),
  EventPattern: z.unknown().transform(checkedPattern).optional(),
  ScheduleExpression: z.string().optional(),
  Targets: z
    .array(
      // Strict, because transformed inputs and other parameters are not supported.
      z.strictObject({
        Id: z.string(),
        Arn: z.string(),
        Input: z.string().optional(),
        RoleArn: z.string().optional(),
        RetryPolicy: z
          .object({
            MaximumRetryAttempts: z.int().min(0).max(185).default(185),
            MaximumEventAgeInSeconds: z.int().min(60).max(86_400).default(86_400),
          })
          .prefault({}),
        DeadLetterConfig: z.object({ Arn: z.string() }).optional(),
      }),
    )
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
    .max(5)
    .default([]),
});

function checkedPattern(pattern: unknown): EventPattern {
  requirePattern(pattern);
  return pattern;
}

/** The event buses of the template. */
export const readEventBuses = (template: DeployedTemplate): BusDefinition[] =>
  template.resources('AWS::Events::EventBus').map(({ ref, arn }) => ({ name: ref, arn }));

/**
 * The rules of all event buses. The name of a rule on another bus than the default one is `bus|rule`. `permitted`: the
 * target's resource-based policy allows the rule to invoke it.
 */
export function readRules(template: DeployedTemplate) {
  const mayInvoke = readInvokePermissions(template);
  return template.resources('AWS::Events::Rule').map(({ logicalId, ref, arn, properties }) => {
    const { EventBusName, State, EventPattern, ScheduleExpression, Targets } = ruleProperties.parse(properties);
    const targets = Targets.map(({ Id, Arn, Input, RoleArn, RetryPolicy, DeadLetterConfig }) => ({
      id: Id,
      arn: Arn,
      input: Input,
      roleArn: RoleArn,
      maxRetries: RetryPolicy.MaximumRetryAttempts,
      maxAgeSeconds: RetryPolicy.MaximumEventAgeInSeconds,
      deadLetterArn: DeadLetterConfig?.Arn,
      permitted: !Arn.includes(':lambda:') || mayInvoke(Arn, 'events.amazonaws.com', arn!),
    }));
    const enabled = State === 'ENABLED';
    if (ScheduleExpression !== undefined && EventBusName !== defaultBus) {
      throw new Error(`The rule ${logicalId} has a schedule, which only rules of the default bus may have.`);
    }
    return {
      name: ref,
      busName: EventBusName,
      arn,
      enabled,
      pattern: EventPattern,
      schedule: ScheduleExpression,
      targets,
    };
  });
}
