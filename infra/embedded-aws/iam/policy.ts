import { z } from 'zod';
import { type Condition, type Context, readConditions, withoutVariables } from './policy-conditions.ts';
import { arnWildcard, wildcard } from './wildcards.ts';

// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html

export type AccessRequest = { action: string; resource: string; context: Context };

/** Whether the identity-based policies of a principal allow a request. */
export type Policy = (request: AccessRequest) => boolean;

const texts = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: texts,
  Resource: texts,
  Condition: z.record(z.string(), z.record(z.string(), z.union([z.string(), z.array(z.string())]))).default({}),
});
export type Statement = z.input<typeof statement>;

/**
 * Compiles the statements of all policies of a principal. A Deny overrides every Allow.
 * @throws for unknown elements, operators and keys
 */
export function compilePolicy(statements: readonly unknown[]): Policy {
  const compiled = statements.map((one) => compileStatement(statement.parse(one)));
  const [denies, allows] = ['Deny', 'Allow'].map((effect) =>
    compiled.filter((one) => one.effect === effect).map(({ applies }) => applies),
  ) as [Policy[], Policy[]];
  return (request) => !denies.some((applies) => applies(request)) && allows.some((applies) => applies(request));
}

function compileStatement({ Effect, Action, Resource, Condition: given }: z.output<typeof statement>) {
  const actions = Action.map((action) => wildcard(action, 'i'));
  const resources = Resource.map((resource) => arnWildcard(withoutVariables(resource)));
  const conditions: Condition[] = Object.entries(given).flatMap(([operator, keys]) => readConditions(operator, keys));
  const applies: Policy = ({ action, resource, context }) =>
    actions.some((matches) => matches(action)) &&
    resources.some((matches) => matches(resource)) &&
    conditions.every((holds) => holds(context));
  return { effect: Effect, applies };
}

/** The policy of the operator. */
export const allowEverything: Policy = () => true;
