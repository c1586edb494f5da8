import * as z from 'zod';
import { timestamp } from '../../shared/clock.ts';
import { ConcurrentChange, Conflict, Forbidden, NotFound, ValidationFailed } from '../common/errors.ts';
import { newUlid } from '../common/ids.ts';
import { chosen } from '../common/keyed-request.ts';
import { pluralize } from '../common/pluralize.ts';
import { tryWrite } from './items/conditional.ts';
import type { Condition } from './items/expression.ts';
import { idItem } from './items/id-items.ts';
import {
  ConditionFailed,
  getItem,
  getItems,
  queryIndex,
  queryItems,
  takeIds,
  transact,
  type Write,
} from './items/items.ts';
import { keys, listKey, owned } from './items/keys.ts';
import { type Template, templateRecord, type User } from './records.ts';
import { unknownStorage } from './storages/storage-table.ts';
import { listOpenUploads } from './uploads/upload-table.ts';
import { findUlid } from './videos/find-by-id.ts';
import { templateActivity } from './writes/activity-writes.ts';
import { imageOf, imageUseWrites, unknownImage } from './writes/image-use-writes.ts';
import { storagesOf, templateStorageWrites } from './writes/storage-use-writes.ts';

type Query = Template['query'];
/** The user who acts. */
type Actor = Pick<User, 'ulid'>;

/** A template that a user may use for videos: the user's own, or a shared one. */
export async function findUsableTemplate(userUlid: string, ulid: string): Promise<Template | undefined> {
  const template = await findAnyTemplate(ulid);
  return template && (template.ownerUlid === userUlid || template.shared) ? template : undefined;
}

/** A template of any user. */
export const findAnyTemplate = (ulid: string): Promise<Template | undefined> =>
  getItem(templateRecord, keys.template(ulid));

/** A template of any user, by the {id} of a path. */
export async function findAnyTemplateById(idOrUlid: string): Promise<Template | undefined> {
  const ulid = await findUlid('template', idOrUlid);
  return ulid === undefined ? undefined : findAnyTemplate(ulid);
}

/**
 * A template that a user may read, by the {id} of a path: the user's own, a shared one, or one that a video of the user
 * uses after a change of owner.
 */
export async function findReadableTemplate(userUlid: string, idOrUlid: string): Promise<Template | undefined> {
  const template = await findAnyTemplateById(idOrUlid);
  if (!template || template.ownerUlid === userUlid || template.shared) return template;
  const { pk, sk } = keys.templateReader(template.ulid, userUlid);
  return (await queryItems(pk, sk, 1)).length > 0 ? template : undefined;
}

/**
 * A template that a user may change, by the {id} of a path.
 * @throws Forbidden for a shared template, unless the user is an administrator
 */
export async function findChangeableTemplate(user: User, idOrUlid: string): Promise<Template | undefined> {
  const template = await findAnyTemplateById(idOrUlid);
  if (template?.shared && !user.isAdmin) throw new Forbidden();
  return template && (template.shared || template.ownerUlid === user.ulid) ? template : undefined;
}

/** The templates that a user may use, newest first: the user's own and the shared ones. */
export async function listTemplates(userUlid: string): Promise<Template[]> {
  const lists = [listKey(userUlid, 'template'), sharedList];
  const found = (await Promise.all(lists.map((list) => queryIndex('byOwner', list)))).flat();
  const templates = (await getItems(found)).map((item) => templateRecord.parse(item));
  return templates
    .filter(({ ownerUlid, shared }) => shared || ownerUlid === userUlid)
    .sort((a, b) => (a.ulid < b.ulid ? 1 : -1));
}

const sharedList = listKey('all', 'shared-template');

/** The list that a template is in: that of its owner, or the one of all shared templates. */
const listedTemplate = ({ ulid, ownerUlid, shared }: Pick<Template, 'ulid' | 'ownerUlid' | 'shared'>) =>
  shared ? owned('all', 'shared-template', ulid) : owned(ownerUlid, 'template', ulid);

/**
 * `query` as the user sent it, validated; `preset` names what it was adopted from.
 * @throws ValidationFailed when the user does not have the image of its watermark
 */
export async function createTemplate(
  ownerUlid: string,
  { name, query, shared = false, preset }: { name: string; query: Query; shared?: boolean; preset?: string },
): Promise<Template> {
  const id = await takeIds(keys.counter('template'));
  const template: Template = {
    ulid: newUlid(),
    id,
    ownerUlid,
    name,
    query,
    shared,
    ...storagesField(query),
    createdAt: chosen('time', timestamp),
  };
  const { ulid } = template;
  const by = { ulid: ownerUlid };
  requireOwnDeliveries(template);
  const uses = usesOfQueries(undefined, query, [ownerUlid]);
  try {
    await transact([
      ...uses.image,
      ...uses.storages,
      { put: { ...keys.template(ulid), ...listedTemplate(template), kind: 'template', ...template } },
      { put: idItem('template', id, ulid) },
      { put: { ...keys.templateCounts(ulid), kind: 'counts', references: 0 } },
      preset === undefined
        ? templateActivity(by, template, 'created', `Created template ${name}`, { name, shared })
        : templateActivity(by, template, 'adopted', `Adopted preset ${preset}`, { name, preset }),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    throw error.failed.some((position) => position < uses.image.length) ? unknownImage() : unknownStorage(storageField);
  }
  return template;
}

const storageField = 'query.deliver';

/** What the templates with these queries count as uses of images and storages. */
const usesOfQueries = (before: Query | undefined, after: Query | undefined, owners: readonly string[]) => ({
  image: imageUseWrites(imageOf(before), imageOf(after), owners),
  storages: templateStorageWrites(storagesOf(before), storagesOf(after), owners),
});

/** The storages of a query in one field, so that a condition can compare them. */
const storagesField = (query: Query): Pick<Template, 'storageUlids'> => {
  const storages = storagesOf(query);
  return storages.length === 0 ? {} : { storageUlids: storages.join() };
};

/** Users of a shared template have no access to the storages of its owner. */
function requireOwnDeliveries({ shared, query }: Pick<Template, 'shared' | 'query'>): void {
  if (!shared || storagesOf(query).length === 0) return;
  const message = 'Leave deliver out of a shared template: a storage belongs to one user.';
  throw new ValidationFailed({ [storageField]: [{ code: 'invalid', message }] });
}

/**
 * Changes a template. A shared one has other actors than its owner, whose images it may have.
 * @throws NotFound; Conflict when it was shared, unshared or given away after it was read, or got another watermark;
 *   ValidationFailed when none of them has the image of its watermark
 */
export async function updateTemplate(
  template: Template,
  changes: { name?: string | undefined; query?: Query | undefined; shared?: boolean | undefined },
  by: Actor,
): Promise<Template> {
  const { ownerUlid, shared } = template;
  const attributes = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const changed = { ...template, ...attributes };
  requireOwnDeliveries(changed);
  const uses = usesOfQueries(template.query, changed.query, [by.ulid, ownerUlid]);
  const counted = [...uses.image, ...uses.storages];
  const storages = storagesField(changed.query);
  const writes: Write[] = [
    {
      update: keys.template(template.ulid),
      set: { ...attributes, ...storages, ...(changes.shared !== undefined && listedTemplate(changed)) },
      remove: storages.storageUlids === undefined ? ['storageUlids'] : [],
      // The right to change it, and its position in a list, depend on them.
      when: { ...usesAsRead(template), equals: { ownerUlid, shared, ...usesAsRead(template).equals } },
    },
    ...counted,
    templateActivity(by, template, 'updated', `Updated template ${template.name}`, {
      old: { name: template.name, shared },
      attributes: { name: changed.name, shared: changed.shared },
      // Not the queries themselves, which may have 64 KiB each.
      query_changed: changes.query !== undefined,
    }),
  ];
  try {
    await transact(writes);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (!(await findAnyTemplate(template.ulid))) throw new NotFound();
    // The last use of an image that is counted is the new one.
    const hasNewImage = imageOf(changed.query) !== undefined;
    if (hasNewImage && error.failed.includes(uses.image.length) && !error.failed.includes(0)) throw unknownImage();
    const isOfStorage = (position: number): boolean => position > uses.image.length && position <= counted.length;
    if (error.failed.some(isOfStorage) && !error.failed.includes(0)) throw unknownStorage(storageField);
    throw new ConcurrentChange('template');
  }
  return changed;
}

/** Image and storages of a template are as they were read: they count the templates that use them. */
function usesAsRead({ query, storageUlids }: Template): Condition {
  const known: Record<string, string | undefined> = { [imagePath]: imageOf(query), storageUlids };
  return {
    absent: Object.keys(known).filter((path) => known[path] === undefined),
    equals: known,
  };
}
const imagePath = 'query.watermark.image';

/** @throws Conflict while a video or an open upload refers to it, or when it was changed after it was read */
export async function deleteTemplate(template: Template, by: Actor): Promise<void> {
  const uses = usesOfQueries(template.query, undefined, []);
  try {
    await transact([
      { delete: keys.templateCounts(template.ulid), when: { below: { references: 1 } } },
      { delete: keys.template(template.ulid), when: usesAsRead(template) },
      ...uses.image,
      ...uses.storages,
      { delete: keys.id('template', template.id) },
      templateActivity(by, template, 'deleted', `Deleted template ${template.name}`, {
        name: template.name,
      }),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const references = await countReferences(template.ulid);
    // Somebody else deleted it a moment ago, which is as good.
    if (references === undefined) return;
    if (references === 0) throw new ConcurrentChange('template');
    throw new Conflict('template_in_use', `The template is used by ${await usesOf(template, references)}.`);
  }
}

/**
 * Gives the templates of a user who is being deleted to another user. It is in no history: the old owner did not do it.
 */
export async function giveTemplates(fromUlid: string, toUlid: string): Promise<void> {
  const templates = (await listTemplates(fromUlid)).filter(({ ownerUlid }) => ownerUlid === fromUlid);
  for (const { ulid } of templates) {
    // Again when it was shared or changed after it was read.
    while (!(await giveTemplate(ulid, fromUlid, toUlid)));
  }
}

async function giveTemplate(ulid: string, fromUlid: string, toUlid: string): Promise<boolean> {
  const template = await findAnyTemplate(ulid);
  if (template?.ownerUlid !== fromUlid) return true;
  const { shared } = template;
  return tryWrite({
    update: keys.template(ulid),
    set: { ownerUlid: toUlid, ...listedTemplate({ ulid, ownerUlid: toUlid, shared }) },
    when: { equals: { ownerUlid: fromUlid, shared } },
  });
}

/** What refers to a template, in words. Open uploads are in their owner's list; every other reference is a video's. */
async function usesOf({ ulid, ownerUlid, shared }: Template, references: number): Promise<string> {
  // The uploads of all users would have to be read.
  if (shared) return references === 1 ? '1 video or open upload' : `${references} videos or open uploads`;
  const open = (await listOpenUploads(ownerUlid)).filter(({ templateUlid }) => templateUlid === ulid);
  const uploads = Math.min(open.length, references);
  const videos = references - uploads;
  return [videos > 0 && pluralize(videos, 'video'), uploads > 0 && pluralize(uploads, 'open upload')]
    .filter((words) => words !== false)
    .join(' and ');
}

/** How many videos and open uploads refer to a template; undefined when it was deleted. */
async function countReferences(ulid: string): Promise<number | undefined> {
  return (await getItem(z.object({ references: z.number() }), keys.templateCounts(ulid)))?.references;
}
