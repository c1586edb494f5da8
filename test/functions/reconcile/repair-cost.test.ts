import { DescribeExecutionCommand, SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { reconcileReservations } from '../../../functions/reconcile/reconcile-reservations.ts';
import { reconcileUploads } from '../../../functions/reconcile/reconcile-uploads.ts';
import { reconcileVideos } from '../../../functions/reconcile/reconcile-videos.ts';
import { getItem, transact, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { type Upload, uploadRecord } from '../../../functions/table/records.ts';
import { addProgress } from '../../../functions/table/writes/progress-writes.ts';
import { reservationWrite } from '../../../functions/table/writes/reservation-writes.ts';
import { markWorking, progressItem } from '../../../functions/table/writes/video-writes.ts';
import { timestamp } from '../../../shared/clock.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { countTableCalls } from '../../fixtures/records/count-table-calls.ts';
import { storeUpload } from '../../fixtures/records/store-upload.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
const states = mockClient(SFNClient);

const passMinutes = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000);
const limits = { untilMilliseconds: Number.POSITIVE_INFINITY, concurrency: 1 };
const none = { events: 0, completions: 0, abandoned: 0 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  states.reset();
  states.on(DescribeExecutionCommand).resolves({ status: 'RUNNING' });
});
afterEach(() => {
  vi.useRealTimers();
});

const statusOf = async ({ ulid }: Upload) => (await getItem(uploadRecord, keys.upload(ulid)))?.status;

test('open uploads of many users cost nothing until they end, and closing some costs as much beside many', async () => {
  const closeTwo = async () => {
    for (let n = 0; n < 2; n++)
      await storeUpload({ status: 'open', createdAt: timestamp(Date.now() - 8 * 86_400_000) });
    return countTableCalls(async () => expect(await reconcileUploads(limits)).toEqual({ ...none, abandoned: 2 }));
  };
  const alone = await closeTwo();
  for (let n = 0; n < 15; n++) await storeUpload({ status: 'open' });
  passMinutes(11);
  // Each is checked once for an object, and then not before its end.
  expect(await reconcileUploads(limits)).toEqual(none);
  passMinutes(24 * 60);
  expect((await countTableCalls(() => reconcileUploads(limits))).read).toBe(0);
  expect((await closeTwo()).read).toBe(alone.read);
});

test('a backlog of expired uploads is closed in parts, the oldest first', async () => {
  const uploads: Upload[] = [];
  for (let n = 0; n < 6; n++) {
    uploads.push(await storeUpload({ status: 'open' }));
    passMinutes(1);
  }
  passMinutes(8 * 24 * 60);
  expect(await reconcileUploads({ ...limits, maxItems: 2 })).toMatchObject({ abandoned: 2 });
  expect(await Promise.all(uploads.map(statusOf))).toEqual(['aborted', 'aborted', 'open', 'open', 'open', 'open']);
  await reconcileUploads(limits);
  expect(new Set(await Promise.all(uploads.map(statusOf)))).toEqual(new Set(['aborted']));
});

test('an upload whose check fails does not hold up the others', async () => {
  const broken = await storeUpload({ status: 'open', createdAt: timestamp(Date.now() - 9 * 86_400_000), key: '' });
  const other = await storeUpload({ status: 'open', createdAt: timestamp(Date.now() - 8 * 86_400_000) });
  await expect(reconcileUploads({ ...limits, maxItems: 1 })).rejects.toThrow();
  expect(await reconcileUploads({ ...limits, maxItems: 1 })).toMatchObject({ abandoned: 1 });
  expect([await statusOf(broken), await statusOf(other)]).toEqual(['open', 'aborted']);
});

test('an execution is described only when its video makes no progress', async () => {
  const { user } = await createPerson();
  const { video } = await storeVideo(user, { status: 'running', executionArn: 'arn:1', startedAt: timestamp() });
  await transact([markWorking(video.ulid), { put: progressItem(video.ulid, video.planNumber, ['v0']) }]);
  const described = () => states.commandCalls(DescribeExecutionCommand).length;
  passMinutes(5);
  for (const update of addProgress(video, 'v0', 1)) await write(update);
  expect(await reconcileVideos(limits)).toMatchObject({ stopped: 0 });
  expect(described()).toBe(0);
  passMinutes(2);
  expect(await reconcileVideos(limits)).toMatchObject({ stopped: 0 });
  expect(described()).toBe(1);
  expect((await countTableCalls(() => reconcileVideos(limits))).read).toBe(0);
});

test('what is held of quotas is checked once a day', async () => {
  const user = newUlid();
  const key = keys.uploadReservation(user, newUlid());
  await transact([reservationWrite(key, { uploadBytes: 1, cpuMilliseconds: 0 })]);
  expect((await countTableCalls(() => reconcileReservations(limits))).read).toBe(0);
  passMinutes(24 * 60);
  expect(await reconcileReservations(limits)).toBe(1);
});
