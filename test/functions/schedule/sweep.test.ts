import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { newUlid } from '../../../functions/common/ids.ts';
import { handler as createVideo } from '../../../functions/pipeline/create-video.lambda.ts';
import { handler as sweep } from '../../../functions/schedule/sweep.lambda.ts';
import { sweepWaiting as sweepAll } from '../../../functions/schedule/sweep-waiting.ts';
import { due } from '../../../functions/table/items/due-keys.ts';
import { getItem, type Item, queryItems, transact, write, writeBatch } from '../../../functions/table/items/items.ts';
import { type Key, keys } from '../../../functions/table/items/keys.ts';
import { leaseJob } from '../../../functions/table/jobs/job-leases.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { type StreamEdit, streamsRecord, type Upload, videoRecord } from '../../../functions/table/records.ts';
import { findStreamEdit } from '../../../functions/table/stream-edits/stream-edit-table.ts';
import { findVideoOfPart } from '../../../functions/table/videos/find-by-id.ts';
import { hideExpired, hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { acquireSweepLease, endWaitingSweep, listWaitingSweeps } from '../../../functions/table/videos/sweep-table.ts';
import { changeVideo } from '../../../functions/table/videos/video-changes.ts';
import { findVideo } from '../../../functions/table/videos/video-table.ts';
import { findEvents } from '../../../functions/table/webhooks/event-table.ts';
import { sweepWaiting, videoDeletion } from '../../../functions/table/writes/video-deletion.ts';
import { bodyOf } from '../../../functions/webhooks/events/event-data.ts';
import { timestamp } from '../../../shared/clock.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { countTableCalls } from '../../fixtures/records/count-table-calls.ts';
import { storeUpload } from '../../fixtures/records/store-upload.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useEdgeStore } from '../../fixtures/use-edge-store.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
const edge = useEdgeStore();

const store = mockClient(S3Client);
const states = mockClient(SFNClient);
let objects: Set<string>;
let upload: Upload;

beforeEach(async () => {
  store.reset();
  states.reset();
  store.on(HeadObjectCommand).resolves({ ContentLength: 1000 });
  upload = await storeUpload();
  objects = new Set([
    upload.key,
    `videos/${upload.ulid}/r1/a.m4s`,
    `work/${upload.ulid}/1/plan.json`,
    'videos/other/x',
  ]);
  store.on(ListObjectsV2Command).callsFake(({ Prefix }) => ({
    Contents: [...objects].filter((key) => key.startsWith(Prefix)).map((Key) => ({ Key })),
  }));
  store.on(ListMultipartUploadsCommand).callsFake(({ Prefix }) => ({
    Uploads: [{ Key: `${Prefix}r1/video.mp4`, UploadId: 'U1', Initiated: new Date(Date.now() - 1000) }],
  }));
  store.on(DeleteObjectsCommand).callsFake(({ Delete }) => {
    for (const { Key } of Delete.Objects) objects.delete(Key);
    return {};
  });
  await createVideo({ event: { detail: { object: { key: upload.key } } }, executionArn: 'arn:execution:1' });
  await transact(videoDeletion((await findVideo(upload.ulid))!));
});

describe('the sweep of a deleted video', () => {
  test('ends its delivery at the edge, and deletes the files although that fails', async () => {
    edge.failNext = true;
    await expect(sweep({ waiting: true })).rejects.toThrow();
    expect([...objects]).toEqual(['videos/other/x']);
    expect([...edge.entries.keys()]).toEqual([]);
    await sweep({ waiting: true });
    expect([...edge.entries.keys()]).toEqual([`deleted/${upload.ulid}`]);
  });

  const job = () => ({ videoUlid: upload.ulid, planNumber: 1, kind: 'probe' as const, group: 0, index: 0 });

  test('stops its execution, cancels its jobs and deletes its files, and no others', async () => {
    const { ownerUlid } = upload;
    await queueJob(job(), {
      taskToken: 't',
      estimateSeconds: 1,
      workUnits: 1,
      ownerUlid,
      virtualTimeSeconds: 0,
    });
    await sweep();
    expect(states.commandCalls(StopExecutionCommand)[0]?.args[0].input).toMatchObject({
      executionArn: 'arn:execution:1',
    });
    expect(await findJob(job())).toMatchObject({ status: 'CANCELLED' });
    expect([...objects]).toEqual(['videos/other/x']);
    const aborted = store.commandCalls(AbortMultipartUploadCommand)[0]?.args[0].input;
    expect(aborted).toMatchObject({ Key: `videos/${upload.ulid}/r1/video.mp4`, UploadId: 'U1' });
  });

  test('is repeated while a worker may still write, then deletes its records', async () => {
    const items = await queryItems(keys.video(upload.ulid).pk);
    const [original] = Object.values(streamsRecord.parse(items.find(({ sk }) => sk === 'STREAMS')).streams);
    expect(await findVideoOfPart('stream', original!.ulid)).toBe(upload.ulid);
    await sweep();
    objects.add(`videos/${upload.ulid}/r1/late.m4s`);
    await sweep();
    expect([...objects]).toEqual(['videos/other/x']);
    await write({ update: keys.video(upload.ulid), set: { deletedAt: '2026-11-20T10:00:00.000000Z' } });
    await sweep();
    expect(await queryItems(keys.video(upload.ulid).pk)).toEqual([]);
    for (const id of [original!.id, original!.ulid])
      expect(await findVideoOfPart('stream', String(id))).toBeUndefined();
  });

  test('lets the record of its upload expire after the last late event, which makes no video again', async () => {
    const expiryOf = async () =>
      (await getItem(z.object({ expiresAt: z.int().optional() }), keys.upload(upload.ulid)))!.expiresAt;
    await sweep();
    expect(await expiryOf()).toBeUndefined();
    await write({ update: keys.video(upload.ulid), set: { deletedAt: '2026-11-20T10:00:00.000000Z' } });
    const sweptAt = Math.floor(Date.now() / 1000);
    await sweep();
    expect(await expiryOf()).toBeGreaterThanOrEqual(sweptAt + 15 * 86_400);
    const event = { detail: { object: { key: upload.key } } };
    expect(await createVideo({ event, executionArn: 'arn:execution:late' })).toEqual({ decision: 'ignored' });
    await write({ delete: keys.upload(upload.ulid) });
    expect(await createVideo({ event, executionArn: 'arn:execution:later' })).toEqual({ decision: 'ignored' });
    expect(await queryItems(keys.video(upload.ulid).pk)).toEqual([]);
  });

  test('does not stop the others when it fails', async () => {
    const other = await storeUpload();
    await createVideo({ event: { detail: { object: { key: other.key } } }, executionArn: 'arn:execution:2' });
    await transact(videoDeletion((await findVideo(other.ulid))!));
    objects.add(`videos/${other.ulid}/r1/a.m4s`);
    states.on(StopExecutionCommand, { executionArn: 'arn:execution:1' }).rejects(new Error('not now'));
    await expect(sweep()).rejects.toThrow('Some items failed');
    expect([...objects]).toContain(upload.key);
    expect([...objects]).not.toContain(`videos/${other.ulid}/r1/a.m4s`);
  });

  test('runs at once for a deletion, and deletes manifests and init segments first', async () => {
    const folder = `videos/${upload.ulid}/`;
    for (const file of ['r1/a/init.mp4', '01K/1/master.m3u8', 'r1/a/1.m4s']) objects.add(`${folder}${file}`);
    await sweep({ waiting: true });
    expect([...objects]).toEqual(['videos/other/x']);
    const deletions = store.commandCalls(DeleteObjectsCommand).map(({ args }) => args[0].input.Delete!.Objects!);
    // Changes of videos of other tests are applied too.
    const first = deletions.find(([object]) => object!.Key!.startsWith(folder));
    expect(first!.map(({ Key }) => Key).toSorted()).toEqual([`${folder}01K/1/master.m3u8`, `${folder}r1/a/init.mp4`]);
    expect(await listWaitingSweeps()).not.toContain(upload.ulid);
  });

  test('is repeated the next minute while a worker may write', async () => {
    const { ownerUlid } = upload;
    const facts = { kind: 'probe', taskToken: 't', estimateSeconds: 1, workUnits: 1, virtualTimeSeconds: 0 } as const;
    await queueJob(job(), { ...facts, ownerUlid });
    await leaseJob((await findJob(job()))!, { lease: 'l', holder: 'pool', worker: 'w1', epoch: 'e' });
    await sweep({ waiting: true });
    objects.add(`videos/${upload.ulid}/r1/late.m4s`);
    await sweep({ waiting: true });
    expect([...objects]).toEqual(['videos/other/x']);
    expect(await listWaitingSweeps()).not.toContain(upload.ulid);
  });

  test('that failed is repeated by the next invocation', async () => {
    states.on(StopExecutionCommand).rejects(new Error('not now'));
    await expect(sweep({ waiting: true })).rejects.toThrow('Some items failed');
    states.reset();
    expect(await listWaitingSweeps()).toContain(upload.ulid);
    await sweep({ waiting: true });
    expect([...objects]).toEqual(['videos/other/x']);
  });

  test('is left to a sweep that is running, and taken over from one that died', async () => {
    expect(await acquireSweepLease('another')).toBe(true);
    await sweep({ waiting: true });
    expect([...objects]).toContain(upload.key);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    await sweep({ waiting: true });
    vi.useRealTimers();
    expect([...objects]).toEqual(['videos/other/x']);
  });

  test('of many videos is one sweep with a few videos in parallel, however many deletions start it', async () => {
    const ulids = Array.from({ length: 40 }, () => newUlid());
    for (const ulid of ulids) {
      const video = { ...(await getItem(videoRecord, keys.video(upload.ulid))), ulid };
      await writeBatch([
        { put: { ...keys.video(ulid), kind: 'video', ...video } },
        sweepWaiting(ulid) as { put: Item },
      ]);
      objects.add(`videos/${ulid}/r1/a.m4s`);
    }
    let running = 0;
    let maxRunning = 0;
    store.on(ListObjectsV2Command).callsFake(async ({ Prefix }) => {
      if (Prefix.startsWith('videos/')) maxRunning = Math.max(maxRunning, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (Prefix.startsWith('videos/')) running--;
      return { Contents: [...objects].filter((key) => key.startsWith(Prefix)).map((Key) => ({ Key })) };
    });
    await Promise.all(ulids.map(() => sweep({ waiting: true })));
    expect([...objects].filter((key) => key.startsWith('videos/'))).toEqual(['videos/other/x']);
    expect(maxRunning).toBeGreaterThan(1);
    expect(maxRunning).toBeLessThanOrEqual(8);
    expect(await listWaitingSweeps()).toEqual([]);
  });

  test('does not keep retired files waiting: both are deleted at the same time', async () => {
    const retired = newUlid();
    await write({ delete: keys.waitingSweep(upload.ulid) });
    objects.add('videos/replaced/1.m4s');
    const item = { ...keys.retired(retired), ...due('retired', retired, timestamp()), prefix: 'videos/replaced/' };
    await write({ put: { kind: 'retired', ...item } });
    const list = (Prefix: string) => ({
      Contents: [...objects].filter((key) => key.startsWith(Prefix)).map((Key) => ({ Key })),
    });
    const retiredAreGone = () => vi.waitUntil(() => !objects.has('videos/replaced/1.m4s'), { timeout: 60_000 });
    store.on(ListObjectsV2Command).callsFake(async ({ Prefix }) => {
      if (Prefix === `videos/${upload.ulid}/`) await retiredAreGone();
      return list(Prefix);
    });
    await sweep();
    expect([...objects]).toEqual(['videos/other/x']);
  });

  test('reads few of many waiting deletions at a time, and passes by those that fail', async () => {
    await write({ delete: keys.waitingSweep(upload.ulid) });
    const ulids = Array.from({ length: 30 }, () => newUlid()).toSorted();
    await writeBatch(ulids.map((ulid) => sweepWaiting(ulid) as { put: Item }));
    const swept: string[] = [];
    const limits = { untilMilliseconds: Number.POSITIVE_INFINITY, concurrency: 1 };
    const { calls, read } = await countTableCalls(async () => {
      const sweeping = sweepAll(async (ulid) => {
        const position = ulids.indexOf(ulid);
        if (position >= 0) swept.push(ulid);
        if (position >= 0 && position < 12) throw new Error('not now');
        await endWaitingSweep(ulid);
      }, limits);
      await expect(sweeping).rejects.toThrow();
    });
    expect(swept).toEqual(ulids);
    expect(calls.filter((name) => name === 'QueryCommand').length).toBeGreaterThan(3);
    expect(read).toBeLessThan(150);
    await writeBatch(ulids.map((ulid) => ({ delete: keys.waitingSweep(ulid) })));
  });

  test('stops a stream edit that was claimed at the moment of the deletion', async () => {
    const edit: StreamEdit = {
      videoUlid: upload.ulid,
      planNumber: 2,
      action: 'remove',
      streamUlid: upload.ulid,
      type: 'video',
      entry: null,
      segmentSeconds: 0,
      replaced: null,
      outputs: [],
      executionArn: 'arn:edit:2',
      createdAt: timestamp(),
    };
    await write({ put: { ...keys.streamEdit(upload.ulid, 2), kind: 'stream-edit', ...edit } });
    await sweep();
    const stopped = states.commandCalls(StopExecutionCommand).map(({ args }) => args[0].input.executionArn);
    expect(stopped).toContain('arn:edit:2');
    expect(await findStreamEdit(upload.ulid, 2)).toBeUndefined();
  });
});

describe('the sweep of each minute', () => {
  const day = 24 * 3600 * 1000;
  afterEach(() => vi.useRealTimers());
  const at = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: milliseconds });

  test('deletes videos that have expired, not those that were extended or kept, and says why', async () => {
    const { user } = await createPerson();
    const store = async (expiresAt: string | null) => {
      const { video } = await storeVideo(user, { tags: ['a'] });
      return changeVideo(video, user, { expiresAt });
    };
    const begin = Date.now();
    const soon = timestamp(begin + day);
    const expiring = await store(soon);
    const extended = await changeVideo(await store(soon), user, { expiresAt: timestamp(begin + 3 * day) });
    const kept = await changeVideo(await store(soon), user, { expiresAt: null });
    const present = async () => {
      const found = await Promise.all([expiring, extended, kept].map(({ ulid }) => findVideo(ulid)));
      return found.map((video) => video !== undefined);
    };
    await sweep({ waiting: true, expire: true });
    expect(await present()).toEqual([true, true, true]);
    at(begin + day + 1000);
    await sweep({ waiting: true });
    expect(await present()).toEqual([true, true, true]);
    await sweep({ waiting: true, expire: true });
    expect(await present()).toEqual([false, true, true]);
    expect(await listWaitingSweeps()).toEqual([]);
    const events = await queryItems(keys.event(user.ulid, '').pk);
    const deleted = await findEvents(events.filter(({ type }) => type === 'video.deleted') as Key[]);
    expect(deleted).toHaveLength(1);
    expect(JSON.parse(await bodyOf(deleted[0]!)).data).toMatchObject({ ulid: expiring.ulid, reason: 'expired' });
    const lines = await queryItems(keys.activity(user.ulid, '').pk);
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'deleted', properties: { name: expiring.name, reason: 'expired' } }),
    );
  });

  test('does not delete a video that is extended between the read and the write', async () => {
    const { user } = await createPerson();
    const { video } = await storeVideo(user);
    const read = await changeVideo(video, user, { expiresAt: timestamp(Date.now() + day) });
    await changeVideo(read, user, { expiresAt: null });
    expect(await hideExpired(read)).toBe(false);
    expect(await findVideo(video.ulid)).toBeDefined();
  });

  test('sweeps what users have deleted before what has expired', async () => {
    const { user } = await createPerson();
    const [old, young] = [(await storeVideo(user)).video, (await storeVideo(user)).video];
    await hideExpired(old);
    await hideVideo(young, user);
    const waiting = await listWaitingSweeps();
    expect(waiting).toContain(young.ulid);
    expect(waiting.indexOf(`expired#${old.ulid}`)).toBeGreaterThan(waiting.indexOf(young.ulid));
  });
});
