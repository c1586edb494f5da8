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

/** The warnings of the original and of its encode jobs, each once; null when the jobs have added none. */
export function addedWarnings(original: Stream, done: Job[]): string[] | null {
  const known = (original.meta.warnings ?? []) as string[];
  const reported = done.flatMap(({ warnings = [] }) => warnings);
  const added = [...new Set(reported)].filter((warning) => !known.includes(warning));
  const free = Math.max(0, maxWarnings - known.length);
  return added.length > 0 && free > 0 ? [...known, ...added.slice(0, free)] : null;
}
