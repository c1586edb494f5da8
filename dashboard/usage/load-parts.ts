import type { DateRange } from './date-range.ts';

type Loaded<Body> = { data?: Body; response: Response };

/** Loads all parts of a range. The result has no ETag, since it is not one response. */
export async function loadParts<Body>(
  parts: readonly DateRange[],
  load: (part: DateRange) => Promise<Loaded<Body>>,
): Promise<Loaded<NonNullable<Body>[]>> {
  const loaded = await Promise.all(parts.map(load));
  return { data: loaded.flatMap(({ data }) => data ?? []), response: new Response() };
}
