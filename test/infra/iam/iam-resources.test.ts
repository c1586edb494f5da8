import { describe, expect, test } from 'vitest';
import { readActionReference } from './action-reference.ts';
import { type Granted, grantedStatements, stages } from './granted-statements.ts';

// IAM ignores a statement whose resource or condition does not fit its action, and the call is refused at run time.

const reference = readActionReference();

/** Findings that are accepted. An entry that does not occur any more fails the test. */
const accepted: { finding: string; reason: string }[] = [
  {
    finding: 'ssm:DescribeParameters on arn',
    reason: 'The CDK adds it to each permission to read a parameter. ECS and the functions do not call it.',
  },
  {
    finding: 'states:DescribeExecution never on express',
    reason: 'The state machine is a standard one, which has no express executions.',
  },
];

const typesOf = (action: string) => {
  const known = reference.actions[action];
  if (!known) throw new Error(`add ${action} to action-reference.json with update-action-reference.ts`);
  const service = action.split(':')[0];
  return known.resourceTypes.map(({ name, required }) => ({
    name,
    required,
    arn: reference.resourceTypes[`${service}:${name}`]!,
  }));
};

const fits = (resource: string, arn: string) => resource === '*' || overlaps(resource, arn);

/** Resources and condition keys of a statement that none of the action's types or keys is. */
function unfitting({ holder, actions, resources, conditionKeys }: Granted): string[] {
  return actions.flatMap((action) => {
    const types = typesOf(action);
    const isUseful = resources.some((one) => one === '*' || types.some(({ arn }) => overlaps(one, arn)));
    const known = reference.actions[action]!.conditionKeys;
    const keys = conditionKeys.filter((key) => !key.startsWith('aws:') && !known.includes(key));
    return [
      ...(isUseful ? [] : [`${holder}: ${action} on ${resources.join(', ')}`]),
      ...keys.map((key) => `${holder}: ${action} has no condition key ${key}`),
    ];
  });
}

/** Required resource types of the actions of a holder that none of its statements allows. */
function missing(granted: Granted[]): string[] {
  const resources = new Map<string, string[]>();
  for (const { holder, actions, resources: own } of granted) {
    for (const action of actions) {
      const key = `${holder}: ${action}`;
      resources.set(key, [...(resources.get(key) ?? []), ...own]);
    }
  }
  return [...resources].flatMap(([key, allowed]) =>
    typesOf(key.split(': ')[1]!)
      .filter(({ required, arn }) => required && !allowed.some((one) => fits(one, arn)))
      .map(({ name }) => `${key} never on ${name}`),
  );
}

describe.each(Object.entries(stages))('in %s', (_, synthesise) => {
  test('every statement allows resources and has conditions that its actions have', () => {
    const granted = grantedStatements(synthesise());
    const findings = [...granted.flatMap(unfitting), ...missing(granted)];
    expect(findings.filter((one) => !accepted.some(({ finding }) => one.includes(finding)))).toEqual([]);
    for (const { finding } of accepted) expect(findings.join('\n')).toContain(finding);
  });
});

test('a wildcard covers a resource type, and a name does not cover another type', () => {
  const stream = reference.resourceTypes['logs:log-stream']!;
  expect(overlaps('arn:aws:logs:eu-west-1:1:log-group:/aws/lambda/a:*', stream)).toBe(true);
  expect(overlaps('arn:aws:s3:::media/videos/*', reference.resourceTypes['s3:object']!)).toBe(true);
  expect(overlaps('arn:aws:s3:::media/videos/*', reference.resourceTypes['s3:bucket']!)).toBe(false);
  expect(overlaps('arn:aws:logs:us-east-1:1:delivery:*', reference.resourceTypes['logs:delivery-source']!)).toBe(false);
});

test('the reference has no actions that the templates do not use', () => {
  const used = new Set(
    Object.values(stages).flatMap((synthesise) => grantedStatements(synthesise()).flatMap(({ actions }) => actions)),
  );
  expect(Object.keys(reference.actions).filter((action) => !used.has(action))).toEqual([]);
});

/** Variables of ARN patterns whose values may contain slashes or colons. */
const pathVariables = new Set([
  'ObjectName',
  'LogGroupName',
  'ParameterNameWithoutLeadingSlash',
  'RepositoryName',
  'RoleNameWithPath',
  'StreamLabel',
]);

/**
 * Whether an ARN can match both a resource of a policy, with its wildcards, and the pattern of a resource type, such as
 * `arn:${Partition}:s3:::${BucketName}`.
 */
function overlaps(resource: string, typePattern: string): boolean {
  const pattern = [...typePattern.matchAll(/\$\{(\w+)\}|./g)].map(([text, variable]) =>
    variable === undefined ? text : pathVariables.has(variable) ? anyText : anyName,
  );
  const tried = new Set<string>();
  const matchFrom = (i: number, j: number): boolean => {
    if (i === resource.length && j === pattern.length) return true;
    if (tried.has(`${i},${j}`)) return false;
    tried.add(`${i},${j}`);
    const [char, part] = [resource[i], pattern[j]];
    if (char === '*') return matchFrom(i + 1, j) || (part !== undefined && matchFrom(i, j + 1));
    if (typeof part === 'object') return matchFrom(i, j + 1) || (part.test(char ?? '') && matchFrom(i + 1, j));
    return char !== undefined && char === part && matchFrom(i + 1, j + 1);
  };
  return matchFrom(0, 0);
}

const anyText = /./;
const anyName = /[^:/]/;
