import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** Counts the videos and open uploads that refer to a template. Its condition fails when the template was deleted. */
export const templateReferenceWrite = (ulid: string, change: 1 | -1): Write => ({
  update: keys.templateCounts(ulid),
  add: { references: change },
  when: { exists: true },
});

/** Lets a user read the template of another user that a video of the user uses. */
export const templateReaderWrite = (templateUlid: string, userUlid: string, videoUlid: string): Write => ({
  put: { ...keys.templateReader(templateUlid, userUlid, videoUlid), kind: 'template-reader' },
});
