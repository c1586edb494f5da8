import type { VideoSource } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { type Movie, parseMovie } from '../isobmff/movie.ts';
import { type FileBytes, type MovieFile, readMovieFile } from '../isobmff/movie-file.ts';
import { retimeFor } from '../mpegts/retime.ts';
import type { JobFiles } from '../transfer/job-files.ts';
import { type Range, readRange } from '../transfer/read-range.ts';
import type { SignedUrl } from '../transfer/store-fetch.ts';
import { type SourceServer, serveSource } from './source-server.ts';
import { unseenRanges, type Wanted } from './unneeded-ranges.ts';

/** What of the source a job reads, as far as it is known ahead, and the times that it is to see there. */
export type SourceNeed = {
  untilByte?: number | null;
  decodes?: Wanted;
  clock?: Pick<VideoSource, 'formatName' | 'clockSections'>;
};
export type Source = SourceServer & {
  totalBytes: number;
  /** the first bytes of the file */
  head: Buffer;
  /** the payload of an MP4's moov box */
  moov: Buffer | undefined;
  movie: () => Movie | undefined;
};

const headBytes = 64 * 1024;

/**
 * What is known of the source of the job before: a worker mostly does several of one video, and each of them begins with the same index and the same look
 * at the first packets.
 */
let last: { address: string; head: Range; file: MovieFile | undefined; known: FileBytes[] } | undefined;
const rememberedIndexBytes = 64 * 2 ** 20;
const rememberedStartBytes = 2 * 2 ** 20;

/**
 * The job's source, served to ffmpeg so that no byte of it is fetched from the store that the job does not need. Must be closed. Throws JobError
 * INPUT_EMPTY, INPUT_GONE or STORE_FAILED.
 */
export async function openSource(
  context: Pick<JobFiles, 'inputUrl'> & { signal: AbortSignal },
  { untilByte = null, decodes, clock }: SourceNeed = {},
): Promise<Source> {
  const { signal } = context;
  const urlOf: SignedUrl = (refused) => context.inputUrl('source', refused);
  const head = await readRange(urlOf, 0, headBytes, signal);
  if (!head) throw new JobError('INPUT_EMPTY', 'The file is empty. Upload one that has content.');
  const { totalBytes } = head;
  const { file, known } = await recall(urlOf, head, signal);
  const movie = once(() => file && parseMovie(file));
  const whole = decodes && movie();
  const view = { totalBytes, known: [...known], unseen: whole ? unseenRanges(whole, decodes) : [], untilByte };
  let roomBytes = rememberedStartBytes - sizeOf(known) + sizeOf(file?.known ?? []);
  const onFetched = (fetched: FileBytes): void => {
    roomBytes -= fetched.bytes.length;
    if (roomBytes > 0 && file) known.push(fetched);
  };
  const retime = clock && retimeFor(clock.formatName, clock.clockSections ?? [], head.bytes);
  const server = await serveSource({ urlOf, signal, onFetched }, view, retime);
  return { ...server, totalBytes, head: head.bytes, moov: file?.moov, movie };
}

async function recall(urlOf: SignedUrl, head: Range, signal: AbortSignal) {
  const { origin, pathname } = new URL(await urlOf());
  const address = origin + pathname;
  const isSame =
    last?.address === address && last.head.totalBytes === head.totalBytes && last.head.bytes.equals(head.bytes);
  if (last && isSame) return last;
  last = undefined;
  const file = await readMovieFile(head, (start, end) => readRange(urlOf, start, end, signal));
  const found = { address, head, file, known: [...(file?.known ?? [{ start: 0, bytes: head.bytes }])] };
  if (sizeOf(found.known) <= rememberedIndexBytes) last = found;
  return found;
}

const sizeOf = (known: FileBytes[]): number => known.reduce((sum, { bytes }) => sum + bytes.length, 0);

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
