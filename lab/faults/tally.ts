import type { Stored } from './checks/invariants.ts';
import { videosIn } from './checks/table-records.ts';
import type { StartedVideo } from './injected/fault.ts';

export type FaultLine = {
  name: string;
  position: number;
  seconds: number;
  notes: string[];
  failure: string | undefined;
  /** its moment did not occur */
  missed: boolean;
};

/** `  37    4.2 s  kill -9 of a worker: local-1, encode-video` */
export const lineOf = ({ name, position, seconds, notes, failure, missed }: FaultLine): string =>
  [
    `${String(position).padStart(4)} ${seconds.toFixed(1).padStart(6)} s  ${name}`,
    notes.length > 0 ? `: ${notes.join(', ')}` : '',
    failure === undefined ? '' : `\n     ${missed ? 'found no moment' : 'FAILED'}: ${failure}`,
  ].join('');

type Counted = {
  lines: readonly FaultLine[];
  videos: readonly StartedVideo[];
  stored: Stored;
  starts: number;
  foundByReconcile: readonly string[];
};

/** A short summary of all faults. */
export function summary({ lines, videos, stored, starts, foundByReconcile }: Counted): string[] {
  const names = new Map<string, number>();
  for (const { name } of lines) names.set(name, (names.get(name) ?? 0) + 1);
  const own = new Set(videos.map(({ ulid }) => ulid));
  const records = videosIn(stored.items).filter(({ ulid }) => own.has(ulid));
  const endings = new Map<string, number>();
  for (const { status, deletedAt } of records) {
    const ending = deletedAt === undefined ? status : 'deleted';
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
  }
  const seconds = completionSeconds(stored).toSorted((a, b) => a - b);
  const at = (share: number): string => (seconds[Math.floor(share * (seconds.length - 1))] ?? 0).toFixed(1);
  return [
    ...[...names]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${String(count).padStart(6)} × ${name}`),
    `${lines.length} faults, of which ${lines.filter(({ missed }) => missed).length} found no moment, ${starts} starts of the service, ${videos.length} videos: ${[...endings].map(([name, count]) => `${count} ${name}`).join(', ')}`,
    `from upload to completed: half within ${at(0.5)} s, nine of ten within ${at(0.9)} s, all within ${at(1)} s`,
    `${foundByReconcile.length} of them went on only when the quarter-hourly look had found them`,
  ];
}

function completionSeconds({ items }: Stored): number[] {
  return videosIn(items).flatMap(({ ulid, createdAt, status }) => {
    const outputs = items.find(({ pk, sk }) => pk === `VIDEO#${ulid}` && sk === 'OUTPUTS')?.outputs ?? {};
    const ends = Object.values(outputs as Record<string, { completedAt: string | null }>).flatMap(
      ({ completedAt }) => completedAt ?? [],
    );
    if (status !== 'completed' || ends.length === 0) return [];
    return [(Math.max(...ends.map((end) => Date.parse(end))) - Date.parse(String(createdAt))) / 1000];
  });
}
