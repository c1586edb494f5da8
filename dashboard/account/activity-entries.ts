import type { components } from '../../client/api-types.ts';

export type Line = components['schemas']['Activity'];

/** A line to show, with the page of what it is about, unless that was deleted. */
export type ActivityEntry = { line: Line; href: string | undefined };

/**
 * The entries of a page of the log, newest first. An upload has three lines, of which the video's is enough: those of
 * the upload say nothing more once the video exists.
 */
export function entriesOf(lines: readonly Line[]): ActivityEntry[] {
  const ulidsWith = (logName: string, event: string): Set<string | null> =>
    new Set(
      lines.filter((line) => line.log_name === logName && line.event === event).map(({ subject_ulid }) => subject_ulid),
    );
  const uploaded = ulidsWith('video', 'uploaded');
  const isOfUpload = ({ log_name, event, subject_ulid }: Line): boolean =>
    log_name === 'upload' && event !== 'deleted' && uploaded.has(subject_ulid);
  return lines
    .filter((line) => !isOfUpload(line))
    .map((line) => ({
      line,
      href: ulidsWith(line.log_name, 'deleted').has(line.subject_ulid) ? undefined : pageOf(line),
    }));
}

function pageOf({ log_name, subject_id, subject_ulid }: Line): string | undefined {
  switch (log_name) {
    case 'video':
      return subject_ulid === null ? undefined : `/videos/${subject_ulid}`;
    case 'template':
      return subject_ulid === null ? undefined : `/templates/${subject_ulid}`;
    case 'node':
      return subject_id === null ? undefined : `/administration/nodes/${subject_id}`;
    default:
      return undefined;
  }
}
