import type { Job, Stream } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';

/** A file that is damaged all over would fill the record with its chunks. */
const mostWarnings = 40;

/** The original stream as it tells the uploader of damage that only these encodes have shown; undefined when that is nothing new. */
export function warnedOriginal({ streams }: Pick<WholeVideo, 'streams'>, jobs: Job[]): Stream | undefined {
  const original = streams.find(({ type }) => type === 'original');
  const done = jobs.filter(({ status }) => status === 'DONE');
  const warnings = original && withEncodeWarnings(original, done);
  return original && warnings ? { ...original, meta: { ...original.meta, warnings } } : undefined;
}

/** The original's warnings with those that its encodes added, each once; null when they added none. */
export function withEncodeWarnings(original: Stream, done: Job[]): string[] | null {
  const known = (original.meta.warnings ?? []) as string[];
  const said = done.flatMap(({ warnings = [] }) => warnings);
  const fresh = [...new Set(said)].filter((warning) => !known.includes(warning));
  const room = Math.max(0, mostWarnings - known.length);
  return fresh.length > 0 && room > 0 ? [...known, ...fresh.slice(0, room)] : null;
}
