import { arnWildcard, wildcard } from './wildcards.ts';

/**
 * The values of condition keys, such as `s3:prefix`, for a request. Keys are in lower case. A key without a value is
 * absent. Only multivalued keys have a list.
 */
export type Context = Readonly<Record<string, string | readonly string[]>>;
export type Condition = (context: Context) => boolean;

/** The condition keys that the embedded services provide. Policies with other keys could not be evaluated as on AWS. */
const knownKeys = new Set([
  's3:prefix',
  's3:delimiter',
  's3:if-none-match',
  'ecs:cluster',
  'ecs:createaction',
  'iam:passedtoservice',
  'aws:securetransport',
  'aws:sourcearn',
  'aws:sourceaccount',
  's3:x-amz-acl',
  'dynamodb:leadingkeys',
  'kms:viaservice',
  'sts:externalid',
]);

/** Keys with several values in a request. AWS compares them with a set operator only. */
const multivaluedKeys = new Set(['dynamodb:leadingkeys']);

type Matcher = (expected: string) => (value: string) => boolean;

const equals: Matcher = (expected) => (value) => value === expected;
const equalsIgnoringCase: Matcher = (expected) => (value) => value.toLowerCase() === expected.toLowerCase();

const matchers = new Map<string, { match: Matcher; negated?: true }>([
  ['StringEquals', { match: equals }],
  ['StringNotEquals', { match: equals, negated: true }],
  ['StringEqualsIgnoreCase', { match: equalsIgnoringCase }],
  ['StringLike', { match: (expected) => wildcard(expected) }],
  ['StringNotLike', { match: (expected) => wildcard(expected), negated: true }],
  ['ArnEquals', { match: arnWildcard }],
  ['ArnLike', { match: arnWildcard }],
  ['ArnNotEquals', { match: arnWildcard, negated: true }],
  ['ArnNotLike', { match: arnWildcard, negated: true }],
  ['Bool', { match: equalsIgnoringCase }],
]);

/**
 * Compiles one operator of a Condition. All keys must match, each with one of its values.
 * @throws for unknown operators, keys and variables, because ignoring them could allow what AWS denies
 */
export function readConditions(operator: string, keys: Record<string, string | string[]>): Condition[] {
  return Object.entries(keys).map(([name, values]) => {
    const key = name.toLowerCase();
    if (!knownKeys.has(key)) throw new Error(`The embedded IAM does not support the condition key ${name}.`);
    return conditionOf(operator, key, [values].flat());
  });
}

function conditionOf(operator: string, key: string, values: string[]): Condition {
  if (operator === 'Null') {
    const wantsAbsent = values.includes('true');
    return (context) => !Object.hasOwn(context, key) === wantsAbsent;
  }
  const { quantifier, name, ifExists } = partsOf(operator);
  const matcher = matchers.get(name);
  if (!matcher) throw new Error(`The embedded IAM does not support the condition operator ${operator}.`);
  if (multivaluedKeys.has(key) !== (quantifier !== undefined)) {
    const needed = quantifier ? 'a multivalued condition key' : 'ForAllValues or ForAnyValue';
    throw new Error(`The condition operator ${operator} with ${key} needs ${needed}.`);
  }
  const matches = values.map((value) => matcher.match(withoutVariables(value)));
  const { negated = false } = matcher;
  const holds = (value: string): boolean => matches.some((match) => match(value)) !== negated;
  return (context) => {
    const value = Object.hasOwn(context, key) ? context[key] : undefined;
    if (value === undefined) return ifExists || negated || quantifier === 'ForAllValues';
    const given = [value].flat();
    return quantifier === 'ForAllValues' ? given.every(holds) : given.some(holds);
  };
}

/** `ForAllValues:StringLikeIfExists` → its quantifier, operator and suffix. */
function partsOf(operator: string) {
  const [, quantifier, name = '', suffix] = /^(?:(ForAllValues|ForAnyValue):)?(.*?)(IfExists)?$/.exec(operator)!;
  return { quantifier, name, ifExists: suffix !== undefined };
}

/** @throws for text with a policy variable, such as `${aws:PrincipalTag/team}` */
export function withoutVariables(text: string): string {
  if (text.includes('${')) throw new Error(`The embedded IAM does not support policy variables: ${text}.`);
  return text;
}
