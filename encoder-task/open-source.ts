import { JobError } from '../shared/job-errors.ts';
import type { JobContext } from './job-context.ts';
import { type Movie, movieOf } from './movie/movie.ts';
import { type MovieFile, readMovieFile } from './movie/movie-file.ts';
import { unseenRanges, type Wanted } from './movie/unseen-ranges.ts';
import { inputUrl } from './store/input-url.ts';
import { type Range, readRange } from './store/read-range.ts';
import { type SourceServer, serveSource } from './store/source-server.ts';

/** What of the source a job reads, as far as it is known ahead. */
export type SourceNeed = { untilByte?: number | null; decodes?: Wanted };
export type Source = SourceServer & { totalBytes: number; movie: () => Movie | undefined };

const headBytes = 64 * 1024;

/** The file of the job before: a worker mostly does several of one video, and each of them begins with the same index. */
let last: { address: string; head: Range; file: MovieFile | undefined } | undefined;
const rememberedBytes = 64 * 2 ** 20;

/**
 * The job's source, served to ffmpeg so that no byte of it is fetched from the store that the job does not need. Must be closed. Throws JobError
 * INPUT_GONE or STORE_FAILED.
 */
export async function openSource(
  context: Pick<JobContext, 'inputs' | 'signal'>,
  { untilByte = null, decodes }: SourceNeed = {},
): Promise<Source> {
  const { signal } = context;
  const url = inputUrl(context, 'source');
  const head = await readRange(url, 0, headBytes, signal);
  if (!head) throw new JobError('INPUT_EMPTY', 'The file is empty. Upload one that has content.');
  const file = await recall(url, head, signal);
  const movie = once(() => file && movieOf(file));
  const whole = decodes && movie();
  const view = {
    totalBytes: head.totalBytes,
    known: file?.known ?? [{ start: 0, bytes: head.bytes }],
    unseen: whole ? unseenRanges(whole, decodes) : [],
    untilByte,
  };
  return { ...(await serveSource(url, view, signal)), totalBytes: head.totalBytes, movie };
}

async function recall(url: string, head: Range, signal: AbortSignal): Promise<MovieFile | undefined> {
  const { origin, pathname } = new URL(url);
  const address = origin + pathname;
  const isSame =
    last?.address === address && last.head.totalBytes === head.totalBytes && last.head.bytes.equals(head.bytes);
  if (isSame) return last?.file;
  last = undefined;
  const file = await readMovieFile(head, (start, end) => readRange(url, start, end, signal));
  const bytes = (file?.known ?? []).reduce((sum, known) => sum + known.bytes.length, 0);
  if (bytes <= rememberedBytes) last = { address, head, file };
  return file;
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
