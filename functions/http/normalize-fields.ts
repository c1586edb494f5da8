/** Texts that count to the last space: passwords, and what names a server, which nobody should have to guess. */
const verbatim = new Set(['password', 'password_confirmation', 'current_password', 'ip_address', 'user', 'hostname']);

/** Documents with rules of their own, kept as they were sent. */
const documents = new Set(['query', 'input_params']);

/**
 * The fields of an object with texts trimmed and empty ones left out, which makes them missing to the schema; one level down too. Anything that is
 * no object has no fields.
 */
export function normalizeFields(
  value: unknown,
  emptyAllowed: readonly string[] = [],
  depth = 2,
): Record<string, unknown> {
  const tidy = (name: string, field: unknown): unknown => {
    if (typeof field === 'string') return verbatim.has(name) ? field : field.trim();
    return depth > 1 && isObject(field) && !documents.has(name) ? normalizeFields(field, [], depth - 1) : field;
  };
  // From entries, since setting a field named __proto__ would set the prototype.
  return Object.fromEntries(
    Object.entries(fieldsOf(value))
      .map(([name, field]) => [name, tidy(name, field)] as const)
      .filter(([name, field]) => field !== '' || emptyAllowed.includes(name)),
  );
}

/** An object as it is; no fields for anything else. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  isObject(value) ? (value as Record<string, unknown>) : {};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
