import { normalizeFields } from './normalize-fields.ts';

/**
 * The parameters of the query string. The last value of a repeated name counts; `metadata[template]` is the field
 * `template` of `metadata`. The parameters that API Gateway parses are not used: it joins repeated names with commas,
 * which are ambiguous with commas in values.
 */
export function readQuery(rawQueryString: string, emptyAllowed: readonly string[] = []): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const [, outer, inner] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) {
      query[name] = value;
      continue;
    }
    const nested = typeof query[outer] === 'object' ? (query[outer] as object) : {};
    query[outer] = Object.assign(Object.create(null), nested, { [inner]: value });
  }
  return normalizeFields(query, emptyAllowed);
}
