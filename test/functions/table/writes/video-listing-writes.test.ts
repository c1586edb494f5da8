import { expect, test } from 'vitest';
import { newUlid } from '../../../../functions/common/ids.ts';
import { queryItems } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { createTemplate } from '../../../../functions/table/template-table.ts';
import { hideVideo } from '../../../../functions/table/videos/hide-video.ts';
import { changeVideo } from '../../../../functions/table/videos/video-changes.ts';
import { externalUserKey, listingChanges } from '../../../../functions/table/writes/video-listing-writes.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { storeVideo } from '../../../fixtures/records/store-video.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const listedBy = async (ownerUlid: string): Promise<string[]> =>
  (await queryItems(keys.listed(ownerUlid, 'WORD', '', '').pk)).map(({ sk }) => sk.split('#').slice(0, 2).join(' '));

test('the lists of a video follow its name, its template and its owner, and end with it', async () => {
  const [{ user }, { user: heir }] = [await createPerson(), await createPerson()];
  const { video, template } = await storeVideo(user, { name: 'Beach day.mp4', externalUserId: 'crm-1' });
  const external = `EXTERNAL ${externalUserKey('crm-1')}`;
  expect(await listedBy(user.ulid)).toEqual([
    external,
    `TEMPLATE ${template.id}`,
    'WORD beach',
    'WORD day',
    'WORD mp4',
  ]);

  const renamed = await changeVideo(video, user, { name: 'Beach night' });
  expect(await listedBy(user.ulid)).toEqual([external, `TEMPLATE ${template.id}`, 'WORD beach', 'WORD night']);

  const other = await createTemplate(heir.ulid, { name: 'Other', query: {} });
  const moved = await changeVideo(renamed, user, { name: 'Night', owner: heir, template: other });
  expect(await listedBy(user.ulid)).toEqual([]);
  expect(await listedBy(heir.ulid)).toEqual([external, `TEMPLATE ${other.id}`, 'WORD night']);

  await hideVideo(moved, heir);
  expect(await listedBy(heir.ulid)).toEqual([]);
});

test('of two renames that read the same name one is refused, and no word of it stays', async () => {
  const { user } = await createPerson();
  const { video } = await storeVideo(user, { name: 'one' });
  await changeVideo(video, user, { name: 'two' });
  await expect(changeVideo(video, user, { name: 'three' })).rejects.toMatchObject({ statusCode: 409 });
  // A deletion reads the video again.
  await hideVideo(video, user);
  expect(await listedBy(user.ulid)).toEqual([]);
});

test('what stays is not written, and null is another external user than the text null', () => {
  const video = {
    ulid: newUlid(),
    ownerUlid: newUlid(),
    name: 'one two',
    templateId: 1,
    externalUserId: null,
    createdAt: '2026-11-20T10:00:00.000000Z',
  };
  expect(listingChanges(video, video)).toEqual([]);
  expect(listingChanges(video, { ...video, name: 'one three' })).toEqual([
    { delete: expect.objectContaining({ sk: expect.stringMatching(/^WORD#two#/) }) },
    { put: expect.objectContaining({ sk: expect.stringMatching(/^WORD#three#/), ulid: video.ulid }) },
  ]);
  expect(externalUserKey(null)).not.toBe(externalUserKey('null'));
});
