import { normalizeFields } from './normalize-fields.ts';

/**
 * The query string's parameters. A name given twice has its last value; `metadata[template]` is the field `template` of `metadata`. The gateway's
 * own parsing joins repeated names by commas and cannot tell those from a comma in a value.
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
