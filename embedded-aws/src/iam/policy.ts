import { z } from 'zod';
import { createBoundedCache } from './bounded-cache.ts';
import { type Condition, type Context, readConditions, withoutVariables } from './policy-conditions.ts';
import { arnWildcard, wildcard } from './wildcards.ts';

// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html

export type AccessRequest = { action: string; resource: string; context: Context };

/** For which actions a policy remembers its statements. */
const maxKnownActions = 128;

/** Whether the identity-based policies of a principal allow a request. */
export type Policy = (request: AccessRequest) => boolean;

const texts = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: texts.optional(),
  NotAction: texts.optional(),
  Resource: texts.optional(),
  NotResource: texts.optional(),
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

/**
 * What a resource-based policy denies a role or user of the account, whatever their own policies allow. Its Allow
 * statements give them nothing here: in this template they are for services.
 * @throws for a Deny that names principals, which could not be evaluated
 */
export function compileDenials(statements: readonly unknown[]): Policy {
  const denials = statements.flatMap((one) => {
    const { Principal, ...rest } = resourceStatement.parse(one);
    if (rest.Effect === 'Allow') return [];
    if (Principal !== '*' && !Principal.AWS?.includes('*')) {
      throw new Error('The embedded IAM supports a Deny of a resource-based policy for all principals only.');
    }
    return [compileStatement(rest)];
  });
  return (request) => denials.some(({ applies }) => applies(request));
}

/** `*` and `{"AWS": "*"}` mean everyone. */
const namesService = (principal: z.output<typeof principals>, service: string): boolean =>
  principal === '*' || (principal.AWS?.includes('*') ?? false) || (principal.Service?.includes(service) ?? false);

function combine(compiled: ReturnType<typeof compileStatement>[]): Policy {
  // An action is in few statements, and a principal uses few actions.
  const known = createBoundedCache<{ denies: Policy[]; allows: Policy[] }>(maxKnownActions);
  const statementsOf = (action: string) => {
    const found = known.get(action);
    if (found) return found;
    const covering = compiled.filter(({ coversAction }) => coversAction(action));
    const [denies, allows] = ['Deny', 'Allow'].map((effect) =>
      covering.filter((one) => one.effect === effect).map(({ applies }) => applies),
    ) as [Policy[], Policy[]];
    known.set(action, { denies, allows });
    return { denies, allows };
  };
  return (request) => {
    const { denies, allows } = statementsOf(request.action);
    return !denies.some((applies) => applies(request)) && allows.some((applies) => applies(request));
  };
}

function compileStatement(given: z.output<typeof statement>) {
  const { Effect, Action, NotAction, Resource, NotResource } = given;
  const coversAction = covers('Action', Action, NotAction, (action) => wildcard(action, 'i'));
  const coversResource = covers('Resource', Resource, NotResource, (one) => arnWildcard(withoutVariables(one)));
  const conditions: Condition[] = Object.entries(given.Condition).flatMap(([operator, keys]) =>
    readConditions(operator, keys),
  );
  const applies: Policy = ({ action, resource, context }) =>
    coversAction(action) && coversResource(resource) && conditions.every((holds) => holds(context));
  return { effect: Effect, coversAction, applies };
}

/** An element such as Action, or its opposite such as NotAction. A statement has exactly one of them. */
function covers(
  name: string,
  listed: string[] | undefined,
  excluded: string[] | undefined,
  compile: (pattern: string) => (text: string) => boolean,
): (text: string) => boolean {
  const patterns = listed ?? excluded;
  if (!patterns || (listed && excluded)) throw new Error(`A policy statement needs either ${name} or Not${name}.`);
  const matchers = patterns.map(compile);
  return (text) => matchers.some((matches) => matches(text)) === (listed !== undefined);
}

/** The policy of the operator. */
export const allowEverything: Policy = () => true;
