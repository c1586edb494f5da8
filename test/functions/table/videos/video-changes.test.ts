import { expect, test } from 'vitest';
import * as z from 'zod';
import { getItem } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { createTemplate, deleteTemplate } from '../../../../functions/table/template-table.ts';
import { hideVideo } from '../../../../functions/table/videos/hide-video.ts';
import { changeVideo } from '../../../../functions/table/videos/video-changes.ts';
import { findVideo } from '../../../../functions/table/videos/video-table.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { storeVideo } from '../../../fixtures/records/store-video.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const countOf = async (ulid: string) =>
  (await getItem(z.looseObject({ videos: z.number() }), keys.userCounts(ulid)))?.videos;

test('a deletion after a change of owner and template reduces the counts of the present ones', async () => {
  const [{ user: giver }, { user: heir }] = [await createPerson(), await createPerson()];
  const { video: seen, template } = await storeVideo(giver);
  const other = await createTemplate(heir.ulid, { name: 'Other', query: {} });
  await changeVideo(seen, giver, { owner: heir, template: other });
  await hideVideo(seen, giver);
  expect(await findVideo(seen.ulid)).toBeUndefined();
  expect([await countOf(giver.ulid), await countOf(heir.ulid)]).toEqual([0, 0]);
  await expect(deleteTemplate(template, giver)).resolves.toBeUndefined();
  await expect(deleteTemplate(other, heir)).resolves.toBeUndefined();
});

test('concurrent deletions delete a video once', async () => {
  const { user } = await createPerson();
  const { video } = await storeVideo(user);
  await Promise.all(Array.from({ length: 5 }, () => hideVideo(video, user)));
  expect(await countOf(user.ulid)).toBe(0);
});
