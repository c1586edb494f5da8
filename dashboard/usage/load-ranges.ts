import type { DateRange } from './date-range.ts';

type Loaded<Body> = { data?: Body; response: Response };

/** Loads each of the ranges. The result has no ETag, since it is not one response. */
export async function loadRanges<Body>(
  ranges: readonly DateRange[],
  load: (range: DateRange) => Promise<Loaded<Body>>,
): Promise<Loaded<NonNullable<Body>[]>> {
  const loaded = await Promise.all(ranges.map(load));
  return { data: loaded.flatMap(({ data }) => data ?? []), response: new Response() };
}
