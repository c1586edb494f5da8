import { ValidationFailed } from '../../common/errors.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Template } from '../records.ts';

/** The ULID of the image that the watermark of a stored query has. */
export const imageOf = (query: Template['query'] | undefined): string | undefined =>
  (query as { watermark?: { image?: string } } | undefined)?.watermark?.image;

/**
 * Counts that a template uses another image than before. `owners`: whose images it may use. The condition of the last
 * write fails when the image was deleted, or belongs to another user.
 */
export function imageUseWrites(
  before: string | undefined,
  after: string | undefined,
  owners: readonly string[],
): Write[] {
  if (before === after) return [];
  return [
    ...(before === undefined ? [] : [{ update: keys.image(before), add: { templates: -1 }, when: { exists: true } }]),
    ...(after === undefined
      ? []
      : [{ update: keys.image(after), add: { templates: 1 }, when: { exists: true, oneOf: { ownerUlid: owners } } }]),
  ];
}

export const unknownImage = (): ValidationFailed =>
  new ValidationFailed({
    'query.watermark.image': [{ code: 'unknown', message: 'You have no such image. Upload it first.' }],
  });
