import type { Job, OriginalChange, Stream } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';

/** Limits the size of the streams item, to which every chunk of a damaged source may add a warning. */
const maxWarnings = 40;

/** The warnings that encode jobs add to the original stream; undefined when they have added none. */
export function originalWithWarnings(
  { streams }: Pick<WholeVideo, 'streams'>,
  jobs: Job[],
): OriginalChange | undefined {
  const original = streams.find(({ type }) => type === 'original');
  const done = jobs.filter(({ status }) => status === 'DONE');
  const warnings = original && addedWarnings(original, done);
  return original && warnings ? { ulid: original.ulid, meta: { ...original.meta, warnings } } : undefined;
}

/**
 * The warnings of the original and of its encode jobs, one for each damage; null when the jobs have added none. Several
 * groups of renditions decode the same part of the source, in chunks of different lengths.
 */
export function addedWarnings(original: Stream, done: Job[]): string[] | null {
  const known = (original.meta.warnings ?? []) as string[];
  const reported = [...new Set(done.flatMap(({ warnings = [] }) => warnings))];
  const added: string[] = [];
  for (const warning of reported.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    if (added.length === maxWarnings) break;
    if (![...known, ...added].some((other) => isSameDamage(warning, other))) added.push(warning);
  }
  if (added.length === 0) return null;
  // the jobs have found where
  const before = known.filter((warning) => !warning.startsWith(damagedSomewhere));
  const inOrder = reported.filter((warning) => added.includes(warning));
  const free = Math.max(0, maxWarnings - before.length);
  return free > 0 ? [...before, ...inOrder.slice(0, free)] : null;
}

/** How the warning of the probe about incomplete packets begins. */
const damagedSomewhere = 'The file is damaged: ';

const isSameDamage = (warning: string, other: string): boolean => {
  if (warning === other) return true;
  const [first, second] = [rangeOf(warning), rangeOf(other)];
  return first !== null && second !== null && first.from < second.to && second.from < first.to;
};

/** The part of the video that a warning of a chunk is about (`videoDamage` of the worker). */
function rangeOf(warning: string): { from: number; to: number } | null {
  const [, from, to] = /^Between (\d+\.\d) s and (\d+\.\d) s, /.exec(warning) ?? [];
  return from === undefined ? null : { from: Number(from), to: Number(to) };
}

function secondsOf(warning: string): number {
  const range = rangeOf(warning);
  return range ? range.to - range.from : 0;
}
