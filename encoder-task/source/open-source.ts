import type { SourcePart, VideoSource } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { type Movie, parseMovie } from '../isobmff/movie.ts';
import { type FileBytes, type MovieFile, readMovieFile } from '../isobmff/movie-file.ts';
import { retimeFor } from '../mpegts/retime.ts';
import type { JobFiles } from '../transfer/job-files.ts';
import { type Range, readRange } from '../transfer/read-range.ts';
import type { SignedUrl } from '../transfer/store-fetch.ts';
import { readStored } from './fetch-piece.ts';
import { type SourceServer, serveSource } from './source-server.ts';
import { type DecodedSamples, unneededRanges } from './unneeded-ranges.ts';

export type SourceOptions = {
  /** end of the part of the file that the job reads */
  untilByte?: number | null;
  /** the samples that the job decodes; all by default */
  decodes?: DecodedSamples;
  /** the part of the source that the job reads; all of it by default */
  part?: SourcePart | undefined;
  /** makes the times of joined recordings continuous */
  clock?: Pick<VideoSource, 'formatName' | 'clockSections'>;
};
export type Source = SourceServer & {
  totalBytes: number;
  /** the first 64 KiB of the file */
  head: Buffer;
  /** the payload of an MP4's moov box */
  moov: Buffer | undefined;
  movie: () => Movie | undefined;
  /** bytes [start, end) of the file, all of them, from the store */
  read: (start: number, end: number) => Promise<Buffer>;
};

const headBytes = 64 * 1024;

/** All bytes of a short part are fewer than those that are fetched ahead where others are left out. */
const shortPartSeconds = 120;
const isShort = (part: SourcePart | undefined): boolean =>
  part !== undefined && part.endSeconds - part.startSeconds <= shortPartSeconds;

/**
 * Cached bytes of the previous job's source. A worker usually runs several jobs of one video, and each reads the same
 * index and first packets.
 */
let cached: { address: string; head: Range; file: MovieFile | undefined; known: FileBytes[] } | undefined;
const maxCachedIndexBytes = 64 * 2 ** 20;
const maxCachedStartBytes = 2 * 2 ** 20;

/**
 * Serves the job's source to ffmpeg, and fetches only the bytes that the job needs from the store. The caller closes
 * it. Throws JobError INPUT_EMPTY, INPUT_GONE or STORE_FAILED.
 */
export async function openSource(
  context: Pick<JobFiles, 'inputUrl'> & { signal: AbortSignal; isNearStore?: boolean },
  { untilByte = null, decodes, part, clock }: SourceOptions = {},
): Promise<Source> {
  const { signal } = context;
  const urlOf: SignedUrl = (rejected) => context.inputUrl('source', rejected);
  const head = await readRange(urlOf, 0, headBytes, signal);
  if (!head) throw new JobError('INPUT_EMPTY', 'The file is empty. Upload a file with content.');
  const { totalBytes } = head;
  const { file, known } = await readIndex(urlOf, head, signal);
  const movie = once(() => file && parseMovie(file));
  const indexed = decodes && !isShort(part) && movie();
  const unneeded = indexed ? unneededRanges(indexed, decodes, { isNearStore: context.isNearStore }) : [];
  const view = { totalBytes, known: [...known], unneeded, untilByte };
  let freeBytes = maxCachedStartBytes - sizeOf(known) + sizeOf(file?.known ?? []);
  const onFetched = (fetched: FileBytes): void => {
    freeBytes -= fetched.bytes.length;
    if (freeBytes > 0 && file) known.push(fetched);
  };
  const retime = clock && retimeFor(clock.formatName, clock.clockSections ?? [], head.bytes);
  const server = await serveSource({ urlOf, signal, onFetched }, view, retime);
  const read = (start: number, end: number): Promise<Buffer> => readStored({ urlOf, signal }, start, end);
  return { ...server, totalBytes, head: head.bytes, moov: file?.moov, movie, read };
}

async function readIndex(urlOf: SignedUrl, head: Range, signal: AbortSignal) {
  const { origin, pathname } = new URL(await urlOf());
  const address = origin + pathname;
  const isSame =
    cached?.address === address && cached.head.totalBytes === head.totalBytes && cached.head.bytes.equals(head.bytes);
  if (cached && isSame) return cached;
  cached = undefined;
  const file = await readMovieFile(head, (start, end) => readRange(urlOf, start, end, signal));
  const found = { address, head, file, known: [...(file?.known ?? [{ start: 0, bytes: head.bytes }])] };
  if (sizeOf(found.known) <= maxCachedIndexBytes) cached = found;
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
