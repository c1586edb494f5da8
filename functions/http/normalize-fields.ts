/**
 * Strings that are not trimmed: passwords, and the names of servers, where a space is an error that the client should
 * see.
 */
const verbatimFields = new Set([
  'password',
  'password_confirmation',
  'current_password',
  'ip_address',
  'user',
  'hostname',
]);

/** Documents with separate validation rules, stored as sent. */
const documentFields = new Set(['query', 'input_params']);

/**
 * The fields of an object, with strings trimmed and empty strings removed, so that the schema sees them as missing.
 * Nested objects too, one level deep. A value that is not an object has no fields. Texts of `emptyAllowed`, and of the
 * fields of an object there, may be empty.
 */
export function normalizeFields(
  value: unknown,
  emptyAllowed: readonly string[] = [],
  depth = 2,
): Record<string, unknown> {
  const normalize = (name: string, field: unknown): unknown => {
    if (typeof field === 'string') return verbatimFields.has(name) ? field : field.trim();
    if (depth === 1 || !isObject(field) || documentFields.has(name)) return field;
    return normalizeFields(field, emptyAllowed.includes(name) ? Object.keys(field) : [], depth - 1);
  };
  // Object.fromEntries, since assigning a field named __proto__ would set the prototype.
  return Object.fromEntries(
    Object.entries(fieldsOf(value))
      .map(([name, field]) => [name, normalize(name, field)] as const)
      .filter(([name, field]) => field !== '' || emptyAllowed.includes(name)),
  );
}

/** The value if it is an object, else an empty object. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  isObject(value) ? (value as Record<string, unknown>) : {};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
