import { expect, test } from 'vitest';
import { write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { streamEditRecord } from '../../../../functions/table/records.ts';
import { findRun, isCurrentPlan } from '../../../../functions/table/videos/run.ts';
import { findWholeVideo } from '../../../../functions/table/videos/video-table.ts';
import { timestamp } from '../../../../shared/clock.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { storeVideo } from '../../../fixtures/records/store-video.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

/** A video with plan 3 and a stream edit with plan 5. Plans 1, 2 and 4 have ended. */
async function editedVideo(): Promise<string> {
  const { user } = await createPerson();
  const { video } = await storeVideo(user, { planNumber: 3, lastPlanNumber: 5 });
  const edit = streamEditRecord.parse({
    videoUlid: video.ulid,
    planNumber: 5,
    action: 'remove',
    streamUlid: video.ulid,
    type: 'audio',
    entry: null,
    segmentSeconds: 0,
    replaced: null,
    outputs: [],
    createdAt: timestamp(),
  });
  await write({ put: { ...keys.streamEdit(video.ulid, 5), kind: 'stream-edit', ...edit } });
  return video.ulid;
}

test('the plan number of the video is a run of the whole video', async () => {
  const ulid = await editedVideo();
  expect(await findRun(ulid, 3)).toMatchObject({ kind: 'video', planNumber: 3, whole: { video: { ulid } } });
});

test('the plan number of a stream edit is its run', async () => {
  const ulid = await editedVideo();
  expect(await findRun(ulid, 5)).toMatchObject({ kind: 'stream-edit', planNumber: 5, edit: { action: 'remove' } });
});

test.each([1, 4, 6])('plan number %i belongs to no run', async (planNumber) => {
  const ulid = await editedVideo();
  expect(await findRun(ulid, planNumber)).toBeUndefined();
  expect(isCurrentPlan((await findWholeVideo(ulid))!, planNumber)).toBe(false);
});

test('the plans of a video and of its stream edits are current', async () => {
  const whole = (await findWholeVideo(await editedVideo()))!;
  expect([3, 5].map((planNumber) => isCurrentPlan(whole, planNumber))).toEqual([true, true]);
});

test('a deleted video has no run', async () => {
  const ulid = await editedVideo();
  await write({ update: keys.video(ulid), set: { deletedAt: timestamp() } });
  expect([await findRun(ulid, 3), await findRun(ulid, 5)]).toEqual([undefined, undefined]);
});
