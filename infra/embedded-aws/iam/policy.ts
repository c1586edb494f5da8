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
const principals = z.union([z.literal('*'), z.record(z.string(), texts)]);
const resourceStatement = statement.extend({ Principal: principals });
export type Statement = z.input<typeof statement>;

/**
 * Compiles the statements of all policies of a principal. A Deny overrides every Allow.
 * @throws for unknown elements, operators and keys
 */
export function compilePolicy(statements: readonly unknown[]): Policy {
  return combine(statements.map((one) => compileStatement(statement.parse(one))));
}

/**
 * Compiles the statements of a resource-based policy that apply to a service of AWS, such as
 * `cloudfront.amazonaws.com`. The policy alone decides, because a service has no identity-based policies.
 * @throws for unknown elements, operators and keys
 */
export function compileServicePolicy(statements: readonly unknown[], service: string): Policy {
  const applying = statements.flatMap((one) => {
    const { Principal, ...rest } = resourceStatement.parse(one);
    return namesService(Principal, service) ? [compileStatement(rest)] : [];
  });
  return combine(applying);
}

/** `*` and `{"AWS": "*"}` mean everyone. */
const namesService = (principal: z.output<typeof principals>, service: string): boolean =>
  principal === '*' || (principal.AWS?.includes('*') ?? false) || (principal.Service?.includes(service) ?? false);

function combine(compiled: ReturnType<typeof compileStatement>[]): Policy {
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
