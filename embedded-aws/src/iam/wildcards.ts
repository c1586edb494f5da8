/** Compiles a pattern of a policy: `*` matches any text, `?` one character. */
export function wildcard(pattern: string, flags = ''): (text: string) => boolean {
  if (pattern === '*') return () => true;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const expression = new RegExp(`^${source}$`, `s${flags}`);
  return (text) => expression.test(text);
}

/**
 * Compiles a pattern for ARNs, in which wildcards do not match across the colons between partition, service, region and
 * account.
 */
export function arnWildcard(pattern: string): (arn: string) => boolean {
  if (pattern === '*') return () => true;
  const parts = arnParts(pattern).map((part) => wildcard(part));
  return (arn) => {
    const given = arnParts(arn);
    return given.length === parts.length && parts.every((matches, index) => matches(given[index]!));
  };
}

/** `arn`, partition, service, region, account and the resource, which may contain colons. */
function arnParts(arn: string): string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, 5), parts.slice(5).join(':')];
}
