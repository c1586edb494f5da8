import { afterEach, beforeEach, expect, test } from 'vitest';
import { documents } from '../../../functions/aws/table-client.ts';
import { addCaption } from '../../../functions/captions/add-caption.ts';
import { deleteCaption } from '../../../functions/captions/delete-caption.ts';
import { publishCaptions } from '../../../functions/captions/publish-captions.ts';
import { reconcileCaptions } from '../../../functions/reconcile/reconcile-captions.ts';
import { queryItems } from '../../../functions/table/items/items.ts';
import { keys, listedPosition } from '../../../functions/table/items/keys.ts';
import type { User, Video } from '../../../functions/table/records.ts';
import { findCaptions } from '../../../functions/table/videos/caption-table.ts';
import { deleteVideoRecords, findDeletedVideo } from '../../../functions/table/videos/deleted-videos.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { findListedWords } from '../../../functions/table/videos/transcript-words.ts';
import { changeVideo } from '../../../functions/table/videos/video-changes.ts';
import { findVideo } from '../../../functions/table/videos/video-table.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { callApi, useWholeApi } from '../../fixtures/use-whole-api.ts';

useWholeApi();

let user: User;
let token: string;
let video: Video;
beforeEach(async () => {
  ({ user, token } = await createPerson());
  ({ video } = await storeVideo(user, { name: 'Trip', outputs: [] }));
});

const say = (texts: string[], language = 'en') => {
  const cues = texts.map((text, index) => ({ startMs: index * 1000, endMs: index * 1000 + 900, settings: '', text }));
  const id = { language, kind: 'captions', label: language, isDefault: false, origin: 'upload' } as const;
  return addCaption(video, { ...id, cues }, user);
};

const found = async (q: string, rest = '&in=transcript') =>
  (await callApi(`GET /api/videos?q=${encodeURIComponent(q)}${rest}`, { token })).json.data.map(
    ({ ulid }: { ulid: string }) => ulid,
  );

/** The words in the lists of a user, in order. */
async function listed(owner: User = user): Promise<string[]> {
  const { pk } = keys.listed(owner.ulid, 'SPOKEN', '', '');
  return (await queryItems(pk, 'SPOKEN#')).map((item) => listedPosition(item).value);
}

const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `word${String(from + index).padStart(4, '0')}`);

/** Ends the calls of a process at its transaction of this number: the request is sent or not. */
function dieAt(number: number, isSent: boolean): () => number {
  let count = 0;
  documents.middlewareStack.add(
    (next) => async (args) => {
      if (!('TransactItems' in args.input)) return next(args);
      count++;
      if (count > number) throw new Error('the process has died');
      if (count < number) return next(args);
      if (isSent) await next(args);
      throw new Error('the process has died');
    },
    { step: 'initialize', name: 'die' },
  );
  return () => count;
}
const revive = () => documents.middlewareStack.remove('die');
afterEach(() => {
  revive();
  process.env.TRANSCRIPT_SEARCH = 'on';
});

test('a video is found by the beginnings of words that are said in it, together with those of its name', async () => {
  await say(['<v Ann>Über den <i>Wolken</i></v> &amp; am Meer', 'zu zweit']);
  await publishCaptions(video.ulid);
  expect(await listed()).toEqual(['den', 'meer', 'uber', 'wolken', 'zweit']);
  for (const q of ['wolk', 'ÜBER', 'meer uber', 'trip wol', 'wolken tri'])
    expect(await found(q), q).toEqual([video.ulid]);
  for (const q of ['wolke7', 'ann', 'tripod', 'olken', 'wolken see', 'we', 'trip me'])
    expect(await found(q), q).toEqual([]);
  expect(await found('wolken', '')).toEqual([]);
  expect(await found('wolken', '&in=transcript&status=failed')).toEqual([]);
  expect(await found('wolken', '&in=transcript&status=completed')).toEqual([video.ulid]);
  const stranger = await createPerson();
  const { json } = await callApi('GET /api/videos?q=wolken&in=transcript', { token: stranger.token });
  expect(json.data).toEqual([]);
});

test('pages have all videos once, those that are found by their name and by their captions in one order', async () => {
  const ulids = [video.ulid];
  for (let index = 1; index < 7; index++) {
    ({ video } = await storeVideo(user, { name: index % 3 === 0 ? 'harbour' : `clip ${index}`, outputs: [] }));
    ulids.unshift(video.ulid);
    if (index % 2 === 1) await say(['harbours', 'harbour']);
    await publishCaptions(video.ulid);
  }
  const expected = [6, 5, 3, 1].map((index) => ulids[6 - index]);
  const pages: string[] = [];
  for (let cursor = ''; ; ) {
    const { json } = await callApi(`GET /api/videos?q=harb&in=transcript&per_page=2${cursor}`, { token });
    pages.push(...json.data.map(({ ulid }: { ulid: string }) => ulid));
    if (json.meta.next_cursor === null) break;
    cursor = `&cursor=${json.meta.next_cursor}`;
  }
  expect(pages).toEqual(expected);
});

test('a page that the first candidates fill reads no other videos and no words of theirs', async () => {
  for (let index = 0; index < 5; index++) {
    ({ video } = await storeVideo(user, { name: `clip ${index}`, outputs: [] }));
    await say(['sailing in the harbour']);
    await publishCaptions(video.ulid);
  }
  const read: string[] = [];
  documents.middlewareStack.add(
    (next) => async (args) => {
      const { RequestItems = {} } = args.input as { RequestItems?: Record<string, { Keys?: { sk: string }[] }> };
      read.push(...Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys.map(({ sk }) => sk)));
      return next(args);
    },
    { step: 'initialize', name: 'die' },
  );
  expect(await found('harb sail', '&in=transcript&per_page=2')).toHaveLength(2);
  expect(read).toEqual(['VIDEO', 'VIDEO', 'WORDS', 'WORDS', 'STREAMS', 'STREAMS']);
});

test('only the first 1,000 words are listed, of captions in the order in which they were added', async () => {
  await say(words(0, 900), 'fr');
  await say(words(500, 1200), 'de');
  await publishCaptions(video.ulid);
  expect(await listed()).toEqual(words(0, 1000));
  await deleteCaption(video, { language: 'fr', kind: 'captions' }, user);
  await publishCaptions(video.ulid);
  expect(await listed()).toEqual(words(500, 1200));
});

test('only words that are added or removed are written, and none when nothing has changed', async () => {
  await say(words(0, 150));
  await publishCaptions(video.ulid);
  const written: number[] = [];
  documents.middlewareStack.add(
    (next) => async (args) => {
      if ('TransactItems' in args.input) written.push((args.input.TransactItems as unknown[]).length);
      return next(args);
    },
    { step: 'initialize', name: 'die' },
  );
  await publishCaptions(video.ulid);
  expect(written).toEqual([]);
  await say(words(1, 152));
  written.length = 0;
  await publishCaptions(video.ulid);
  // Two checks, the record, one word that is gone and two that are new.
  expect(written).toEqual([6]);
  expect(await listed()).toEqual(words(1, 152));
});

test.each([false, true])(
  'a process that dies in any transaction leaves what the record says, and the next one lists the rest; sent: %s',
  async (isSent) => {
    await say(words(0, 120));
    await publishCaptions(video.ulid);
    await say(words(100, 320));
    for (let number = 1; ; number++) {
      const sent = dieAt(number, isSent);
      const isDone = await publishCaptions(video.ulid).then(
        () => true,
        () => false,
      );
      revive();
      expect(await listed()).toEqual((await findListedWords(video.ulid))!.words.toSorted());
      if (isDone) {
        expect(sent()).toBeLessThan(number);
        break;
      }
      // Reconcile has something to do until all is listed.
      expect((await findCaptions(video.ulid)).dueAt).toBeDefined();
      if (number > 9) throw new Error('it does not end');
    }
    expect((await findCaptions(video.ulid)).dueAt).toBeUndefined();
    expect(await listed()).toEqual(words(100, 320));
    expect((await findListedWords(video.ulid))!.captionsVersion).toBe(2);
  },
);

test('of simultaneous calls and changes, the last captions are listed', async () => {
  for (let round = 0; round < 4; round++) {
    await say(words(round * 100, round * 100 + 250));
    await Promise.all([
      publishCaptions(video.ulid),
      say(words(round * 50, round * 50 + 220)).then(() => publishCaptions(video.ulid)),
      publishCaptions(video.ulid),
    ]);
    expect(await listed()).toEqual(words(round * 50, round * 50 + 220));
  }
});

test('another owner finds the video when reconcile has moved its words, also when its process died', async () => {
  const heir = await createPerson();
  await say(words(0, 120));
  await publishCaptions(video.ulid);
  await changeVideo(video, user, { owner: heir.user });
  expect(await found('word')).toEqual([]);
  dieAt(2, true);
  await expect(publishCaptions(video.ulid)).rejects.toThrow('died');
  revive();
  await reconcileCaptions({ untilMilliseconds: Date.now() + 60_000, concurrency: 2 });
  expect(await listed()).toEqual([]);
  expect(await listed(heir.user)).toEqual(words(0, 120));
  const { json } = await callApi('GET /api/videos?q=word01&in=transcript', { token: heir.token });
  expect(json.data).toMatchObject([{ ulid: video.ulid }]);
});

test('an owner who changes between the reading and the publishing of captions is not missed', async () => {
  const heir = await createPerson();
  await say(words(0, 3));
  await publishCaptions(video.ulid);
  await say(words(0, 4));
  let isChanged = false;
  documents.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      if (!isChanged && 'TransactItems' in args.input) {
        isChanged = true;
        await changeVideo((await findVideo(video.ulid))!, user, { owner: heir.user });
      }
      return result;
    },
    { step: 'initialize', name: 'die' },
  );
  await publishCaptions(video.ulid);
  revive();
  expect(isChanged).toBe(true);
  expect(await listed()).toEqual([]);
  expect(await listed(heir.user)).toEqual(words(0, 4));
});

test('a deleted video leaves the lists with its records, and gets no words any more', async () => {
  await say(words(0, 120));
  await publishCaptions(video.ulid);
  await say(words(0, 130));
  await hideVideo(video, user);
  await publishCaptions(video.ulid);
  expect(await found('word')).toEqual([]);
  expect(await listed()).toEqual(words(0, 120));
  let isDead = false;
  documents.middlewareStack.add(
    (next) => async (args) => {
      if (isDead) throw new Error('the process has died');
      isDead = 'RequestItems' in args.input && JSON.stringify(args.input).includes('SPOKEN#word');
      return next(args);
    },
    { step: 'initialize', name: 'die' },
  );
  const deleted = (await findDeletedVideo(video.ulid))!;
  await expect(deleteVideoRecords(deleted, [])).rejects.toThrow('died');
  revive();
  await deleteVideoRecords(deleted, []);
  expect(await listed()).toEqual([]);
  expect(await findListedWords(video.ulid)).toBeUndefined();
});

test('where captions are not searched, the request says so, nothing is listed and earlier words are removed', async () => {
  await say(words(0, 5));
  await publishCaptions(video.ulid);
  process.env.TRANSCRIPT_SEARCH = 'off';
  expect(await callApi('GET /api/videos?q=word&in=transcript', { token })).toMatchObject({
    status: 409,
    json: { code: 'transcript_search_unavailable' },
  });
  await say(words(0, 6));
  await publishCaptions(video.ulid);
  expect(await listed()).toEqual([]);
  ({ video } = await storeVideo(user, { outputs: [] }));
  await say(words(0, 5));
  await publishCaptions(video.ulid);
  expect(await findListedWords(video.ulid)).toBeUndefined();
});

test('in=transcript without q, and other values, are refused', async () => {
  expect(await callApi('GET /api/videos?in=transcript', { token })).toMatchObject({ status: 422 });
  expect(await callApi('GET /api/videos?q=a&in=chapters', { token })).toMatchObject({ status: 422 });
});
