/** Fields of an event with lists of alternatives, nested like the event. */
export type EventPattern = { [field: string]: EventPattern | unknown[] };

/** @throws Error for a pattern that EventBridge refuses, or that has a matcher which is not supported here */
export function requirePattern(pattern: unknown): asserts pattern is EventPattern {
  if (!isObject(pattern)) throw new Error('A pattern must be an object.');
  const fields = Object.entries(pattern);
  if (fields.length === 0) throw new Error('A pattern must have a field.');
  for (const [field, alternatives] of fields) {
    if (!Array.isArray(alternatives)) {
      if (!isObject(alternatives)) throw new Error(`The alternatives of "${field}" must be an array.`);
      requirePattern(alternatives);
    } else if (alternatives.length === 0) {
      throw new Error(`"${field}" has no alternatives.`);
    } else {
      alternatives.forEach(requireAlternative);
    }
  }
}

function requireAlternative(alternative: unknown): void {
  if (Array.isArray(alternative)) throw new Error('An alternative must not be an array.');
  if (!isObject(alternative)) return;
  const [entry, ...others] = Object.entries(alternative);
  if (!entry || others.length > 0) throw new Error('An alternative must have exactly one matcher.');
  const [name, argument] = entry;
  if (!matcherOf(name).accepts(argument)) {
    throw new Error(`The matcher "${name}" does not accept ${JSON.stringify(argument)}.`);
  }
}

/** Whether an event matches a pattern: every field must match one of its alternatives. */
export function matchesPattern(pattern: EventPattern, event: unknown): boolean {
  return Object.entries(pattern).every(([field, alternatives]) => {
    // An array in the event matches if one of its elements does. An empty one is as good as no field.
    const found = [isObject(event) ? event[field] : undefined].flat(Number.POSITIVE_INFINITY);
    const values = found.length > 0 ? found : [undefined];
    if (!Array.isArray(alternatives)) return values.some((one) => matchesPattern(alternatives, one));
    // Alternatives are about leaves: a field that contains fields is none.
    return values.some((one) =>
      alternatives.some((alternative) => matchesAlternative(alternative, isObject(one) ? undefined : one)),
    );
  });
}

type Matcher = { accepts: (argument: unknown) => boolean; matches: (argument: unknown, value: unknown) => boolean };

const isString = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';

/** A matcher of strings by a string. */
const ofStrings = (matches: (argument: string, value: string) => boolean): Matcher => ({
  accepts: isString,
  matches: (argument, value) => isString(value) && matches(argument as string, value),
});

const matchers: Record<string, Matcher> = {
  prefix: ofStrings((prefix, value) => value.startsWith(prefix)),
  suffix: ofStrings((suffix, value) => value.endsWith(suffix)),
  'equals-ignore-case': ofStrings((text, value) => value.toLowerCase() === text.toLowerCase()),
  exists: {
    accepts: (argument) => typeof argument === 'boolean',
    matches: (exists, value) => (value !== undefined) === exists,
  },
  'anything-but': {
    accepts: isUnwanted,
    matches: (unwanted, value) =>
      value !== undefined && ![unwanted].flat().some((alternative) => matchesAlternative(alternative, value)),
  },
};

/** Strings or numbers, but not both, or a matcher of strings. */
function isUnwanted(argument: unknown): boolean {
  if (isObject(argument)) {
    requireAlternative(argument);
    return !('exists' in argument || 'anything-but' in argument);
  }
  const values = [argument].flat();
  return values.length > 0 && (values.every(isString) || values.every(isNumber));
}

const matchesAlternative = (alternative: unknown, value: unknown): boolean =>
  isObject(alternative)
    ? Object.entries(alternative).every(([name, argument]) => matcherOf(name).matches(argument, value))
    : alternative === value;

function matcherOf(name: string): Matcher {
  const matcher = Object.hasOwn(matchers, name) && matchers[name];
  if (!matcher) throw new Error(`The embedded EventBridge does not support the matcher "${name}".`);
  return matcher;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
