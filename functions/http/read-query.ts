import type { RouteDeclaration } from '../contracts/route-declaration.ts';
import { normalizeFields } from './normalize-fields.ts';

/**
 * The parameters of the query string. The last value of a repeated name counts, except of those in `repeated`, whose
 * values are a list without empty texts; `metadata[template]` is the field
 * `template` of `metadata`. The parameters that API Gateway parses are not used: it joins repeated names with commas,
 * which are ambiguous with commas in values.
 */
export function readQuery(
  rawQueryString: string,
  { emptyAllowed, repeatedQuery = [] }: Pick<RouteDeclaration, 'emptyAllowed' | 'repeatedQuery'> = {},
): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null);
  const parameters = new URLSearchParams(rawQueryString);
  for (const [name, value] of parameters) {
    const [, outer, inner] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) {
      query[name] = value;
      continue;
    }
    const nested = typeof query[outer] === 'object' ? (query[outer] as object) : {};
    query[outer] = Object.assign(Object.create(null), nested, { [inner]: value });
  }
  for (const name of repeatedQuery) {
    const values = parameters.getAll(name).filter((value) => value.trim() !== '');
    if (values.length > 0) query[name] = values;
  }
  return normalizeFields(query, emptyAllowed);
}
