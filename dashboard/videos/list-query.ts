const names = ['q', 'in', 'status', 'template_id', 'tag', 'created_from', 'created_to'] as const;

/** The filters of the list, as the address of the page has them. Empty strings are no filters. */
export type VideoFilters = Record<(typeof names)[number], string>;

export const noFilters: VideoFilters = {
  q: '',
  in: '',
  status: '',
  template_id: '',
  tag: '',
  created_from: '',
  created_to: '',
};

/** Where captions are not searched, an address that asks for it means the names alone. */
export const filtersOf = (
  query: Readonly<Record<string, string | undefined>>,
  { transcriptSearch }: { transcriptSearch: boolean },
): VideoFilters => ({
  ...(Object.fromEntries(names.map((name) => [name, query[name] ?? ''])) as VideoFilters),
  in: transcriptSearch && query.in === 'transcript' ? 'transcript' : '',
});

/** Where the words are searched is no filter by itself. */
export const isFiltered = (filters: VideoFilters): boolean =>
  names.some((name) => name !== 'in' && filters[name] !== '');

/** The address of the page with these filters. */
export function addressOf(filters: VideoFilters): string {
  const set = names.flatMap((name) => (filters[name] === '' ? [] : [[name, filters[name]]]));
  return set.length === 0 ? '/' : `/?${new URLSearchParams(set)}`;
}

/** Where a page of the list begins: its number, or a cursor if the list is filtered; undefined is the first. */
export type PageStart = { page: number } | { cursor: string } | undefined;

export const perPage = 50;

/** The query of a page of the list. */
export const pageQuery = ({ template_id, tag, in: where, ...filters }: VideoFilters, start: PageStart) => ({
  per_page: perPage,
  ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== '')),
  ...(where !== '' && filters.q !== '' && { in: 'transcript' as const }),
  ...(template_id !== '' && { template_id: Number(template_id) }),
  ...(tag !== '' && { tag: [tag] }),
  ...start,
});

type Meta = { next_cursor?: string | null; current_page?: number; last_page?: number };

/** Where the page after this one begins; undefined after the last. */
export function startOfNext({ next_cursor, current_page = 1, last_page = 1 }: Meta): PageStart {
  if (next_cursor !== undefined) return next_cursor === null ? undefined : { cursor: next_cursor };
  return current_page < last_page ? { page: current_page + 1 } : undefined;
}

/** Videos that are in work are asked for often, the first page also for new videos. */
export function pollSeconds(videos: readonly { status: string }[], isFirst: boolean): number {
  const isWorking = videos.some(({ status }) => status !== 'completed' && status !== 'failed');
  if (isWorking) return 2;
  return isFirst ? 5 : 60;
}

/** The names that more than one video has. */
export const repeated = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.filter((name, index) => names.indexOf(name) !== index));
