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
export function overlaps(resource: string, typePattern: string): boolean {
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
