import { timestamp } from '../../../shared/clock.ts';
import { Conflict, NotFound } from '../../common/errors.ts';
import { newUlid } from '../../common/ids.ts';
import { pluralize } from '../../common/pluralize.ts';
import { findUlid } from '../ids/find-by-id.ts';
import { idItem } from '../items/id-items.ts';
import {
  ConditionFailed,
  getItem,
  getItems,
  queryIndex,
  queryItems,
  takeIds,
  transact,
  type Write,
  write,
} from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import { type Template, templateRecord } from '../records.ts';
import { listOpenUploads } from '../uploads/upload-table.ts';
import { templateActivity } from '../writes/activity-writes.ts';
import { countReferences } from './template-references.ts';

type Query = Template['query'];

/** A user's template by ULID. */
export async function findTemplateByUlid(ownerUlid: string, ulid: string): Promise<Template | undefined> {
  const template = await getItem(templateRecord, keys.template(ulid));
  return template?.ownerUlid === ownerUlid ? template : undefined;
}

/** A template of any user. */
export const findAnyTemplate = (ulid: string): Promise<Template | undefined> =>
  getItem(templateRecord, keys.template(ulid));

/** A user's template by the {id} of a path. */
export async function findTemplate(ownerUlid: string, idOrUlid: string): Promise<Template | undefined> {
  const ulid = await findUlid('template', idOrUlid);
  return ulid === undefined ? undefined : findTemplateByUlid(ownerUlid, ulid);
}

/**
 * A template that a user may read, by the {id} of a path: the user's own, or one that a video of the user uses after a
 * change of owner.
 */
export async function findReadableTemplate(userUlid: string, idOrUlid: string): Promise<Template | undefined> {
  const ulid = await findUlid('template', idOrUlid);
  const template = ulid === undefined ? undefined : await getItem(templateRecord, keys.template(ulid));
  if (!template || template.ownerUlid === userUlid) return template;
  const { pk, sk } = keys.templateReader(template.ulid, userUlid);
  return (await queryItems(pk, sk, 1)).length > 0 ? template : undefined;
}

/** A user's templates, newest first. */
export async function listTemplates(ownerUlid: string): Promise<Template[]> {
  const found = await queryIndex('byOwner', owned(ownerUlid, 'template', '').ownerKey, { descending: true });
  return (await getItems(found)).map((item) => templateRecord.parse(item));
}

/** `query` as the user sent it, validated; `preset` names what it was adopted from. */
export async function createTemplate(
  ownerUlid: string,
  { name, query, preset }: { name: string; query: Query; preset?: string },
): Promise<Template> {
  const id = await takeIds(keys.counter('template'));
  const template: Template = { ulid: newUlid(), id, ownerUlid, name, query, createdAt: timestamp() };
  const { ulid } = template;
  await transact([
    { put: { ...keys.template(ulid), ...owned(ownerUlid, 'template', ulid), kind: 'template', ...template } },
    { put: idItem('template', id, ulid) },
    { put: { ...keys.templateCounts(ulid), kind: 'counts', references: 0 } },
    preset === undefined
      ? templateActivity(ownerOf(template), template, 'created', `Created template ${name}`, { name })
      : templateActivity(ownerOf(template), template, 'adopted', `Adopted preset ${preset}`, { name, preset }),
  ]);
  return template;
}

/** @throws NotFound */
export async function updateTemplate(
  template: Template,
  changes: { name?: string | undefined; query?: Query | undefined },
): Promise<Template> {
  const attributes = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const writes: Write[] = [
    { update: keys.template(template.ulid), set: attributes, when: { exists: true } },
    templateActivity(ownerOf(template), template, 'updated', `Updated template ${template.name}`, {
      old: { name: template.name },
      attributes: { name: changes.name ?? template.name },
      // Not the queries themselves, which may have 64 KiB each.
      query_changed: changes.query !== undefined,
    }),
  ];
  try {
    await transact(writes);
  } catch (error) {
    // deleted after it was read
    throw error instanceof ConditionFailed ? new NotFound() : error;
  }
  return { ...template, ...attributes };
}

/** @throws Conflict while a video or an open upload refers to it */
export async function deleteTemplate(template: Template): Promise<void> {
  try {
    await transact([
      { delete: keys.templateCounts(template.ulid), when: { below: { references: 1 } } },
      { delete: keys.template(template.ulid) },
      { delete: keys.id('template', template.id) },
      templateActivity(ownerOf(template), template, 'deleted', `Deleted template ${template.name}`, {
        name: template.name,
      }),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const references = await countReferences(template.ulid);
    // Somebody else deleted it a moment ago, which is as good.
    if (references === undefined) return;
    throw new Conflict(`The template is used by ${await usesOf(template, references)}.`);
  }
}

/** Makes a template another user's. That is no change its old owner made, so it is in no history. */
export async function giveTemplate(ulid: string, ownerUlid: string): Promise<void> {
  const given = { ownerUlid, ...owned(ownerUlid, 'template', ulid) };
  try {
    await write({ update: keys.template(ulid), set: given, when: { exists: true } });
  } catch (error) {
    // deleted after it was read
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** What refers to a template, in words. Open uploads are in their owner's list; every other reference is a video's. */
async function usesOf({ ulid, ownerUlid }: Template, references: number): Promise<string> {
  const open = (await listOpenUploads(ownerUlid)).filter(({ templateUlid }) => templateUlid === ulid);
  const uploads = Math.min(open.length, references);
  const videos = references - uploads;
  return [videos > 0 && pluralize(videos, 'video'), uploads > 0 && pluralize(uploads, 'open upload')]
    .filter((words) => words !== false)
    .join(' and ');
}

/** Only the owner can change a template. */
const ownerOf = ({ ownerUlid }: Template) => ({ ulid: ownerUlid });
