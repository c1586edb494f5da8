import { expect, test } from 'vitest';
import { newUlid } from '../../../../functions/common/ids.ts';
import { removeUser } from '../../../../functions/table/accounts/user-table.ts';
import { queryItems } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { hideVideo } from '../../../../functions/table/videos/hide-video.ts';
import { byNumberOfVideos, listTags } from '../../../../functions/table/videos/tag-table.ts';
import { changeVideo } from '../../../../functions/table/videos/video-changes.ts';
import { findVideo } from '../../../../functions/table/videos/video-table.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { storeVideo } from '../../../fixtures/records/store-video.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const all = { after: undefined, limit: 100 };
const countsOf = async (ownerUlid: string) =>
  Object.fromEntries((await listTags(ownerUlid, all)).tags.map(({ tag, videos }) => [tag, videos]));

test('the counts of tags follow creation, change, change of owner and deletion of their videos', async () => {
  const [{ user }, { user: heir }] = [await createPerson(), await createPerson()];
  const { video } = await storeVideo(user, { tags: ['sea', 'sun'] });
  const { video: other } = await storeVideo(user, { tags: ['sea'] });
  expect(await countsOf(user.ulid)).toEqual({ sea: 2, sun: 1 });

  const changed = await changeVideo(video, user, { tags: ['sea', 'ski'] });
  expect(await countsOf(user.ulid)).toEqual({ sea: 2, ski: 1 });

  const moved = await changeVideo(changed, user, { owner: heir });
  expect(await countsOf(user.ulid)).toEqual({ sea: 1 });
  expect(await countsOf(heir.ulid)).toEqual({ sea: 1, ski: 1 });

  await hideVideo(moved, heir);
  await hideVideo(other, user);
  expect(await countsOf(user.ulid)).toEqual({});
  expect(await countsOf(heir.ulid)).toEqual({});
  expect(await queryItems(keys.tag(heir.ulid, '').pk)).toEqual([]);
});

test('of two changes that read the same tags one is refused, and a deletion counts those that it finds', async () => {
  const { user } = await createPerson();
  const { video } = await storeVideo(user, { tags: ['a'] });
  await changeVideo(video, user, { tags: ['b'] });
  await expect(changeVideo(video, user, { tags: ['c'] })).rejects.toMatchObject({ statusCode: 409 });
  await expect(changeVideo(video, user, { metadata: { a: 'b' } })).rejects.toMatchObject({ statusCode: 409 });
  await hideVideo(video, user);
  expect(await countsOf(user.ulid)).toEqual({});
});

test('a video with as many words and tags as there may be gets another owner', async () => {
  const [{ user }, { user: heir }] = [await createPerson(), await createPerson()];
  const name = Array.from({ length: 16 }, (_, number) => `word${number}`).join(' ');
  const tags = Array.from({ length: 16 }, (_, number) => `tag ${String(number).padStart(2, '0')}`);
  const { video } = await storeVideo(user, { name, tags });
  const named = await changeVideo(video, user, { owner: heir, name: name.replaceAll('word', 'other') });
  expect(Object.keys(await countsOf(heir.ulid))).toEqual(tags);
  expect(await queryItems(keys.listed(user.ulid, 'WORD', '', '').pk)).toEqual([]);
  expect(await queryItems(keys.listed(heir.ulid, 'WORD', '', '').pk)).toHaveLength(34);
  expect(await findVideo(video.ulid)).toMatchObject({ ownerUlid: heir.ulid, name: named.name });
});

test('tags are listed in pages, and deleted with their user', async () => {
  const { user } = await createPerson();
  const { video } = await storeVideo(user, { tags: ['a', 'b', '#', 'é', '😀'] });
  const pages: string[][] = [];
  for (let after: string | undefined; ; ) {
    const { tags, next } = await listTags(user.ulid, { after, limit: 2 });
    pages.push(tags.map(({ tag }) => tag));
    if (next === undefined) break;
    after = next;
  }
  expect(pages).toEqual([['#', 'a'], ['b', 'é'], ['😀']]);
  await hideVideo(video, user);
  await removeUser(user);
  expect(await queryItems(keys.tag(user.ulid, '').pk)).toEqual([]);
});

test('the tags of the fewest videos come first, also one of none', async () => {
  const { user } = await createPerson();
  await storeVideo(user, { tags: ['often', 'rare'] });
  await storeVideo(user, { tags: ['often'] });
  expect(await byNumberOfVideos(user.ulid, ['often', 'never', 'rare'])).toEqual(['never', 'rare', 'often']);
  expect(await byNumberOfVideos(newUlid(), ['x'])).toEqual(['x']);
});
