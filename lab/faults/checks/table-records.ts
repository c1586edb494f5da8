import type { Item } from '../../../test/journey/support/account.ts';

export type VideoItem = Item & {
  ulid: string;
  ownerUlid: string;
  templateUlid: string;
  status: string;
  planNumber: number;
  sourceKey: string;
  sourceBytes: number;
  replaced?: { sourceKey: string };
  deletedAt?: string;
};
export type JobItem = Item & {
  videoUlid: string;
  planNumber: number;
  group: number;
  index: number;
  status: string;
  attempt: number;
  result?: { cpuSeconds: number };
  error?: { code: string };
};

export const videosIn = (items: readonly Item[]): VideoItem[] =>
  items.filter(({ sk, pk }) => sk === 'VIDEO' && pk.startsWith('VIDEO#')) as VideoItem[];

export const jobsIn = (items: readonly Item[]): JobItem[] =>
  items.filter(({ pk }) => pk.startsWith('JOBS#')) as JobItem[];

export const isTerminal = ({ status, deletedAt }: VideoItem): boolean =>
  deletedAt !== undefined || status === 'completed' || status === 'failed';

/** The failure reason that the uploader reads. */
export function reasonsIn(items: readonly Item[], videoUlid: string): string[] {
  type Part = { errorLog: string | null };
  const parts = items
    .filter(({ pk }) => pk === `VIDEO#${videoUlid}`)
    .flatMap(({ streams, outputs }) => Object.values({ ...(streams as object), ...(outputs as object) }) as Part[]);
  return parts.flatMap(({ errorLog }) => errorLog ?? []);
}
