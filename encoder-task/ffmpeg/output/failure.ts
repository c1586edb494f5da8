import { JobError } from '../../../shared/protocol/job-errors.ts';
import { withoutSecrets } from '../../runtime/log.ts';
import type { Ended } from '../../runtime/run-process.ts';
import { frameTooLargeIn } from './frame-size.ts';

/** A part of a track in which no frame can be decoded. */
export const undecodablePart = (): JobError =>
  new JobError(
    'INPUT_DAMAGED',
    'A part of the file is damaged or missing and cannot be decoded. Export it again and upload the new file.',
  );

/** A video in which no frame can be decoded. */
export const undecodableVideo = (): JobError =>
  new JobError('INPUT_DAMAGED', 'The video is damaged and cannot be decoded. Export it again and upload the new file.');

type Cause = [pattern: RegExp, error: () => JobError];

/** Known messages of every failed run. */
const causes: Cause[] = [
  [
    /No space left on device|Disk quota exceeded|File too large/,
    () => new JobError('DISK_FULL', 'the worker ran out of disk space'),
  ],
  [/Cannot allocate memory|std::bad_alloc/, () => new JobError('MEMORY_LIMIT', 'the encoder ran out of memory')],
];

/** Known messages about the input besides the frame size. */
const faultsOfSource: Cause[] = [
  [
    /moov atom not found/,
    () => new JobError('INPUT_TRUNCATED', 'The file is incomplete: its index is missing. Upload it again.'),
  ],
  // ffmpeg 7 does not print the word stream
  [/Cannot determine format of input (stream )?\S+ after EOF/, undecodablePart],
];

/**
 * The JobError for a failed run; `otherwise` makes it when the messages contain no known cause. The uploader is not to
 * blame for a run that reads only files of the job itself.
 */
export function failureOf(
  { stderrTail }: Ended,
  { readsSource }: { readsSource: boolean },
  otherwise: (lastMessage: string) => JobError,
): JobError {
  const tooLarge = readsSource ? frameTooLargeIn(stderrTail) : undefined;
  if (tooLarge) return tooLarge;
  const known = readsSource ? [...causes, ...faultsOfSource] : causes;
  for (const [pattern, error] of known) if (pattern.test(stderrTail)) return error();
  return otherwise(lastMessageOf(stderrTail));
}

/** The last messages for the operator, without URLs and local paths, at most 500 characters. */
export function lastMessageOf(stderrTail: string): string {
  const lines = stderrTail.trim().split('\n');
  // the source server ends responses early on purpose
  const last = lines
    .filter((line) => !line.includes('Stream ends prematurely'))
    .slice(-3)
    .join(' | ');
  return withoutSecrets(last)
    .replace(/(https?:\/\/|\/)[^\s:|']+/g, '…')
    .slice(-500);
}
