import type { EventPattern } from '../template/read-rules.ts';

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
    const matcher = matchers[name];
    if (!matcher) throw new Error(`The embedded EventBridge does not support the matcher "${name}".`);
    return matcher(argument, value);
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
