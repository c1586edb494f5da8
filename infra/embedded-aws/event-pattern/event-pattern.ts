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
  for (const [name, argument] of Object.entries(alternative)) {
    matcherOf(name);
    if (name === 'anything-but') [argument].flat().forEach(requireAlternative);
  }
}

/** Whether an event matches a pattern: every field must match one of its alternatives. */
export function matchesPattern(pattern: EventPattern, event: unknown): boolean {
  return Object.entries(pattern).every(([field, alternatives]) => {
    const value = isObject(event) ? event[field] : undefined;
    if (!Array.isArray(alternatives)) return matchesPattern(alternatives, value);
    // An array in the event matches if one of its elements does.
    const values = Array.isArray(value) ? value : [value];
    return alternatives.some((alternative) => values.some((one) => matchesAlternative(alternative, one)));
  });
}

const matchers: Record<string, (argument: unknown, value: unknown) => boolean> = {
  prefix: (prefix, value) => typeof value === 'string' && value.startsWith(String(prefix)),
  suffix: (suffix, value) => typeof value === 'string' && value.endsWith(String(suffix)),
  'equals-ignore-case': (text, value) =>
    typeof value === 'string' && value.toLowerCase() === String(text).toLowerCase(),
  exists: (exists, value) => (value !== undefined) === exists,
  'anything-but': (unwanted, value) => {
    if (value === undefined) return false;
    const alternatives = Array.isArray(unwanted) ? unwanted : [unwanted];
    return !alternatives.some((alternative) => matchesAlternative(alternative, value));
  },
};

function matchesAlternative(alternative: unknown, value: unknown): boolean {
  if (!isObject(alternative)) return alternative === value;
  return Object.entries(alternative).every(([name, argument]) => {
    return matcherOf(name)(argument, value);
  });
}

function matcherOf(name: string) {
  const matcher = Object.hasOwn(matchers, name) && matchers[name];
  if (!matcher) throw new Error(`The embedded EventBridge does not support the matcher "${name}".`);
  return matcher;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
