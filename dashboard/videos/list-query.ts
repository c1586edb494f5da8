/** The filters of the list, as the address of the page has them. Empty strings are no filters. */
export type VideoFilters = { q: string; status: string; template_id: string; created_from: string; created_to: string };

const names = ['q', 'status', 'template_id', 'created_from', 'created_to'] as const;

export const filtersOf = (query: Readonly<Record<string, string | undefined>>): VideoFilters =>
  Object.fromEntries(names.map((name) => [name, query[name] ?? ''])) as VideoFilters;

export const isFiltered = (filters: VideoFilters): boolean => names.some((name) => filters[name] !== '');

/** The address of the page with these filters. */
export function addressOf(filters: VideoFilters): string {
  const set = names.flatMap((name) => (filters[name] === '' ? [] : [[name, filters[name]]]));
  return set.length === 0 ? '/' : `/?${new URLSearchParams(set)}`;
}

/** Where a part of the list begins: a page of a whole list, or a cursor of a filtered one; undefined is the first. */
export type PartStart = { page: number } | { cursor: string } | undefined;

export const perPart = 50;

/** The query of a part of the list. */
export const partQuery = ({ template_id, ...filters }: VideoFilters, start: PartStart) => ({
  per_page: perPart,
  ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== '')),
  ...(template_id !== '' && { template_id: Number(template_id) }),
  ...start,
});

type Meta = { next_cursor?: string | null; current_page?: number; last_page?: number };

/** Where the part after this one begins; undefined after the last. */
export function startOfNext({ next_cursor, current_page = 1, last_page = 1 }: Meta): PartStart {
  if (next_cursor !== undefined) return next_cursor === null ? undefined : { cursor: next_cursor };
  return current_page < last_page ? { page: current_page + 1 } : undefined;
}

/** Videos that are in work are asked for often, the first part also for new videos. */
export function pollSeconds(videos: readonly { status: string }[], isFirst: boolean): number {
  const isWorking = videos.some(({ status }) => status !== 'completed' && status !== 'failed');
  if (isWorking) return 2;
  return isFirst ? 5 : 60;
}
