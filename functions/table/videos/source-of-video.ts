import { timestamp } from '../../../shared/clock.ts';
import { uploadOfObject } from '../../../shared/object-keys.ts';
import { SourceDeleted } from '../../common/errors.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { due } from '../items/due-keys.ts';
import { duePages } from '../items/due-pages.ts';
import { getItem, write } from '../items/items.ts';
import { keys, ulidIn } from '../items/keys.ts';
import { uploadRecord, type Video } from '../records.ts';
import { sourceRetention, sourceRetirement } from '../writes/retirement-writes.ts';

/** @throws SourceDeleted when the uploaded file is gone */
export function requireSource({ sourceDeletedAt, refusal }: Pick<Video, 'sourceDeletedAt' | 'refusal'>): void {
  if (sourceDeletedAt !== undefined || refusal !== undefined) throw new SourceDeleted();
}

/** The source, and the one that it is replacing. */
export const sourceKeysOf = ({ sourceKey, replaced }: Pick<Video, 'sourceKey' | 'replaced'>): string[] =>
  replaced ? [sourceKey, replaced.sourceKey] : [sourceKey];

/** Videos whose sources are to be deleted now, those that have waited longest first, page by page. */
export async function* dueSources(): AsyncGenerator<string[]> {
  for await (const page of duePages(['source'])) yield page.map(ulidIn);
}

/**
 * Marks the source of a video as deleted and has its file deleted. False when the video is being processed, edited or
 * deleted, or changed after it was read.
 */
export const deleteSource = ({ ulid, planNumber, executionCount, sourceKey }: Video): Promise<boolean> =>
  tryTransact([
    {
      update: keys.video(ulid),
      set: { sourceDeletedAt: timestamp() },
      when: {
        equals: { planNumber, executionCount },
        oneOf: { status: ['completed', 'failed'] },
        absent: ['deletedAt', 'editPlanNumber', 'sourceDeletedAt'],
      },
    },
    sourceRetention(ulid, undefined),
    sourceRetirement(sourceKey),
  ]);

/** Marks the source of a clip as copied. False when another call has, or the video was deleted. */
export const endCopy = ({ ulid, copiedFrom }: Video & { copiedFrom: string }): Promise<boolean> =>
  tryWrite({
    update: keys.video(ulid),
    remove: ['copiedFrom'],
    when: { equals: { copiedFrom }, absent: ['deletedAt'] },
  });

/** Has the source of a video that is being processed deleted later. */
export const postponeSource = (videoUlid: string, dueAt: string): Promise<boolean> =>
  tryWrite({
    update: keys.sourceRetention(videoUlid),
    set: due('source', videoUlid, dueAt),
    when: { exists: true },
  });

export async function forgetSourceRetention(videoUlid: string): Promise<void> {
  await write(sourceRetention(videoUlid, undefined));
}

/** The name that the uploader gave the source. The video may have another one by now. */
export async function sourceFileName({ sourceKey, name }: Pick<Video, 'sourceKey' | 'name'>): Promise<string> {
  const ulid = uploadOfObject(sourceKey);
  const upload = ulid === undefined ? undefined : await getItem(uploadRecord, keys.upload(ulid));
  return upload?.fileName ?? name;
}
