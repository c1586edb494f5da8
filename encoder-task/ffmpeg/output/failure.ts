import { JobError } from '../../../shared/protocol/job-errors.ts';
import { withoutSecrets } from '../../runtime/log.ts';
import type { Ended } from '../../runtime/run-process.ts';
import { tooLargePicture } from './frame-size.ts';

/** No frame of a track could be decoded where it should have some. */
export const nothingDecodes = (): JobError =>
  new JobError(
    'INPUT_DAMAGED',
    'A part of the file is damaged or missing and cannot be decoded. Export it again and upload the new file.',
  );

/** What stderr says of a run that ended badly, besides the size of the picture, in the order of how sure it is. */
const causes: [pattern: RegExp, error: () => JobError][] = [
  [
    /No space left on device|Disk quota exceeded|File too large/,
    () => new JobError('DISK_FULL', 'the worker ran out of disk'),
  ],
  [/Cannot allocate memory|std::bad_alloc/, () => new JobError('MEMORY_LIMIT', 'the encoder ran out of memory')],
  [
    /moov atom not found/,
    () => new JobError('INPUT_TRUNCATED', 'The file is incomplete: its index is missing. Upload it again.'),
  ],
  [/Cannot determine format of input stream/, nothingDecodes],
];

/** The JobError for a run with a bad exit code; `otherwise` when its messages name no known cause. */
export function failureOf({ stderrTail }: Ended, otherwise: (lastMessage: string) => JobError): JobError {
  const tooLarge = tooLargePicture(stderrTail);
  if (tooLarge) return tooLarge;
  for (const [pattern, error] of causes) if (pattern.test(stderrTail)) return error();
  return otherwise(lastMessageOf(stderrTail));
}

/** ffmpeg's last words, fit for an operator: no URL query, no local path, bounded. */
export function lastMessageOf(stderrTail: string): string {
  const said = stderrTail.trim().split('\n');
  // that an answer of the source server ended is no news
  const last = said
    .filter((line) => !line.includes('Stream ends prematurely'))
    .slice(-3)
    .join(' | ');
  return withoutSecrets(last)
    .replace(/(https?:\/\/|\/)[^\s:|']+/g, '…')
    .slice(-500);
}
