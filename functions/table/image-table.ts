import { timestamp } from '../../shared/clock.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { parseUlid } from '../common/ids.ts';
import { chosen } from '../common/keyed-request.ts';
import { pluralize } from '../common/pluralize.ts';
import { tryWrite } from './items/conditional.ts';
import { ConditionFailed, countIndex, getItem, getItems, queryIndex, transact, write } from './items/items.ts';
import { keys, listKey, owned } from './items/keys.ts';
import { type ImageRecord, imageRecord, type User } from './records.ts';
import { imageActivity } from './writes/activity-writes.ts';
import { imageRetirement, unrecordedImageRetirement } from './writes/retirement-writes.ts';

/**
 * Counted before one is added: those that are added at the same time may be more. As many that were deleted may still
 * be stored, or a user could fill the store by adding and deleting.
 */
export const maxImagesPerUser = 100;

/** A user's images, newest first. */
export async function listImages(ownerUlid: string): Promise<ImageRecord[]> {
  const found = await getItems(await queryIndex('byOwner', listKey(ownerUlid, 'image')));
  return found.map((item) => imageRecord.parse(item)).sort((a, b) => (a.ulid < b.ulid ? 1 : -1));
}

/** An image of a user, by the ULID in a path. */
export async function findImage({ ulid }: User, id: string): Promise<ImageRecord | undefined> {
  const imageUlid = parseUlid(id);
  const image = imageUlid === undefined ? undefined : await getItem(imageRecord, keys.image(imageUlid));
  return image?.ownerUlid === ulid ? image : undefined;
}

/**
 * Has the object of a new image deleted, unless the image is created within an hour: between the two the process may
 * die.
 * @throws ValidationFailed when the user has as many images as allowed, or has deleted as many lately
 */
export async function announceImage(ownerUlid: string, imageUlid: string): Promise<void> {
  // The request continues one that has ended without a response: its image is counted.
  if (await getItem(imageRecord, keys.image(imageUlid))) return;
  const [images, deleted] = await Promise.all(
    ['image', 'deleted-image'].map((kind) => countIndex('byOwner', listKey(ownerUlid, kind))),
  );
  if (images! >= maxImagesPerUser) {
    throw new ValidationFailed({ images: [`A user has at most ${maxImagesPerUser} images. Delete one first.`] });
  }
  if (deleted! >= maxImagesPerUser) {
    const message = `You have deleted ${maxImagesPerUser} images within 14 days, which are still stored for videos in processing. Use one that you have, or try again later.`;
    throw new ValidationFailed({ images: [message] });
  }
  await write(unrecordedImageRetirement(imageUlid));
}

type NewImage = Omit<ImageRecord, 'ownerUlid' | 'templates' | 'createdAt'>;

/** Creates the record of an image whose object is stored. */
export async function createImage(owner: User, fields: NewImage): Promise<ImageRecord> {
  const { ulid, name } = fields;
  const image: ImageRecord = {
    ...fields,
    ownerUlid: owner.ulid,
    templates: 0,
    createdAt: chosen('time', timestamp),
  };
  await transact([
    { put: { ...keys.image(ulid), ...owned(owner.ulid, 'image', ulid), kind: 'image', ...image } },
    { delete: keys.retired(ulid) },
    imageActivity(owner, { ulid }, 'created', `Uploaded image ${name}`, { name }),
  ]);
  return image;
}

/** @throws Conflict while a template uses it */
export async function deleteImage(image: ImageRecord, by: User): Promise<void> {
  const { ulid, ownerUlid, name } = image;
  try {
    await transact([
      { delete: keys.image(ulid), when: { below: { templates: 1 } } },
      imageRetirement(ulid, ownerUlid),
      imageActivity(by, { ulid }, 'deleted', `Deleted image ${name}`, { name }),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const templates = (await getItem(imageRecord, keys.image(ulid)))?.templates;
    // Another request deleted it a moment ago, which is as good.
    if (templates === undefined) return;
    throw new Conflict('image_in_use', `The image is the watermark of ${pluralize(templates, 'template')}.`);
  }
}

/** Gives the images of a user who is being deleted to another user. Templates go on using them. */
export async function giveImages(fromUlid: string, toUlid: string): Promise<void> {
  for (const { ulid } of await listImages(fromUlid)) {
    await tryWrite({
      update: keys.image(ulid),
      set: { ownerUlid: toUlid, ...owned(toUlid, 'image', ulid) },
      when: { equals: { ownerUlid: fromUlid } },
    });
  }
}
