import { tryTransact } from '../items/conditional.ts';
import { queryIndex } from '../items/items.ts';
import { keys, listKey } from '../items/keys.ts';
import type { Video } from '../records.ts';

/**
 * Videos that an execution works on or should work on, from an eventually consistent index. Waiting videos are not
 * among them.
 */
export const listWorkingVideos = async (): Promise<string[]> =>
  (await queryIndex('byOwner', listKey('all', 'working'))).map(({ ownerSort }) => String(ownerSort));

/** Takes a video that has ended from the list of working videos. False when it is processed again, or was deleted. */
export const unmarkWorking = ({ ulid, executionCount }: Video): Promise<boolean> =>
  tryTransact([
    { check: keys.video(ulid), when: { equals: { executionCount }, oneOf: { status: ['completed', 'failed'] } } },
    { delete: keys.working(ulid) },
  ]);
