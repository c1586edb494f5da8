import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler as usage } from '../../../../functions/api/usage.lambda.ts';
import { write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { deleteVideoRecords } from '../../../../functions/table/videos/deleted-videos.ts';
import { countStored } from '../../../../functions/table/views/count-stored.ts';
import { callHandler } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { buildStream, storeVideo } from '../../../fixtures/records/store-video.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
});
afterEach(() => vi.useRealTimers());

type Person = Awaited<ReturnType<typeof createPerson>>;

/** A video with a source of 5,000 bytes and an encoded stream of 1,000. */
const storedVideo = ({ user }: Person, externalUserId: string | null = null) =>
  storeVideo(user, {
    externalUserId,
    streams: [buildStream({ type: 'original', bytes: 5000 }), buildStream({ type: 'video', bytes: 1000 })],
  });

async function stored({ token }: Person, from: string, to: string): Promise<[string, number][]> {
  const path = `GET /api/usage?from=${from}&to=${to}&metric=stored_bytes` as const;
  const { json } = await callHandler(usage, path, { token });
  return json.data.map(({ date, external_user_id: id, value }: Record<string, string | number>) => [
    [date, id].filter(Boolean).join(' '),
    value,
  ]);
}

test('a user stores the sources and the encoded streams, each day as on the day before without a change', async () => {
  const person = await createPerson();
  const { video } = await storedVideo(person);
  await countStored(video.ulid);
  await countStored(video.ulid);
  vi.setSystemTime(Date.parse('2026-11-23T12:00:00Z'));
  expect(await stored(person, '2026-11-18', '2026-11-30')).toEqual([
    ['2026-11-20', 6000],
    ['2026-11-21', 6000],
    ['2026-11-22', 6000],
    ['2026-11-23', 6000],
  ]);
});

test('a day has the largest amount, though less remains at its end', async () => {
  const person = await createPerson();
  const [one, other] = [await storedVideo(person), await storedVideo(person)];
  await countStored(one.video.ulid);
  vi.setSystemTime(Date.parse('2026-11-22T12:00:00Z'));
  await countStored(other.video.ulid);
  for (const { video } of [one, other]) {
    await write({ update: keys.video(video.ulid), set: { deletedAt: '2026-11-22T13:00:00.000000Z' } });
    await countStored(video.ulid);
    await deleteVideoRecords(video, []);
    await countStored(video.ulid);
  }
  vi.setSystemTime(Date.parse('2026-11-23T12:00:00Z'));
  expect(await stored(person, '2026-11-20', '2026-11-23')).toEqual([
    ['2026-11-20', 6000],
    ['2026-11-21', 6000],
    ['2026-11-22', 12_000],
  ]);
});

test('a source that is deleted is not stored any more, and one that is being replaced still is', async () => {
  const person = await createPerson();
  const { video } = await storedVideo(person);
  await write({
    update: keys.video(video.ulid),
    set: {
      replaced: {
        sourceKey: 'uploads/old',
        sourceBytes: 300,
        planNumber: 1,
        status: 'completed',
        query: null,
        durationSeconds: 1,
        aspectRatio: null,
      },
    },
  });
  await countStored(video.ulid);
  expect(await stored(person, '2026-11-20', '2026-11-20')).toEqual([['2026-11-20', 6300]]);
  vi.setSystemTime(Date.parse('2026-11-21T12:00:00Z'));
  await write({ update: keys.video(video.ulid), set: { sourceDeletedAt: '2026-11-21' }, remove: ['replaced'] });
  await countStored(video.ulid);
  vi.setSystemTime(Date.parse('2026-11-22T12:00:00Z'));
  expect(await stored(person, '2026-11-22', '2026-11-22')).toEqual([['2026-11-22', 1000]]);
});

test('videos that change at the same time add up, by external user', async () => {
  const person = await createPerson();
  const videos = await Promise.all(['a', 'a', 'a', 'a', 'b'].map((id) => storedVideo(person, id)));
  await Promise.all([...videos, ...videos].map(({ video }) => countStored(video.ulid)));
  expect(await stored(person, '2026-11-20', '2026-11-20')).toEqual([
    ['2026-11-20 a', 24_000],
    ['2026-11-20 b', 6000],
  ]);
});
