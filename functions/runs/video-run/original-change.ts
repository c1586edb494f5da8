import type { OriginalChange } from '../../table/records.ts';
import type { WholeVideo } from '../../table/videos/video-table.ts';

/** A change of the original stream together with why the run failed, or null. Undefined when nothing changes. */
export function originalChange(
  { streams }: Pick<WholeVideo, 'streams'>,
  warnings: OriginalChange | undefined,
  errorLog: string | null,
): OriginalChange | undefined {
  const original = streams.find(({ type }) => type === 'original');
  if (!original || original.errorLog === errorLog) return warnings;
  return { ulid: original.ulid, ...warnings, errorLog };
}
