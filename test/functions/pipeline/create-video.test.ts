import {
  DeleteObjectsCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NotFound,
  PutObjectTaggingCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { handler } from '../../../functions/pipeline/create-video.lambda.ts';
import { transact, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import type { Upload } from '../../../functions/table/records.ts';
import { listUsage } from '../../../functions/table/statistics/usage-table.ts';
import { closeUpload } from '../../../functions/table/uploads/upload-table.ts';
import { listTags } from '../../../functions/table/videos/tag-table.ts';
import { listVideos } from '../../../functions/table/videos/video-list.ts';
import { findVideo, findWholeVideo } from '../../../functions/table/videos/video-table.ts';
import { videoDeletion } from '../../../functions/table/writes/video-deletion.ts';
import { storeUpload, templateQuery } from '../../fixtures/records/store-upload.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const store = mockClient(S3Client);
beforeEach(() => {
  store.reset();
  store.on(HeadObjectCommand).resolves({ ContentLength: 1000 });
});

const storeEvent = ({ key }: Pick<Upload, 'key'>, executionArn = 'arn:execution:1') => ({
  event: { detail: { object: { key } } },
  executionArn,
});

const uploadedBytes = async ({ ownerUlid }: Upload): Promise<number> =>
  (await listUsage(ownerUlid, '2000-01-01', '2999-01-01')).reduce((sum, { value }) => sum + value, 0);

describe('the event of a stored upload', () => {
  test('creates the video, counts its bytes and starts it', async () => {
    const upload = await storeUpload();
    expect(await handler(storeEvent(upload))).toEqual({ decision: 'process', videoUlid: upload.ulid, planNumber: 1 });
    const whole = await findWholeVideo(upload.ulid);
    expect(whole?.video).toMatchObject({
      status: 'downloading',
      query: templateQuery,
      sourceBytes: 1000,
      externalUserId: 'crm-1',
    });
    expect(whole?.streams).toMatchObject([{ type: 'original', bytes: 1000, status: 'pending' }]);
    expect(await uploadedBytes(upload)).toBe(1000);
  });

  test('gives the video the metadata, the tags and the clip of the upload', async () => {
    const sourceOptions = { clip: { startSeconds: 1 } };
    const upload = await storeUpload({ metadata: { album: 'Summer' }, tags: ['sea'], sourceOptions });
    await handler(storeEvent(upload));
    expect(await findVideo(upload.ulid)).toMatchObject({
      metadata: { album: 'Summer' },
      tags: ['sea'],
      sourceOptions,
    });
    expect((await listTags(upload.ownerUlid, { after: undefined, limit: 1 })).tags).toEqual([
      { tag: 'sea', videos: 1 },
    ]);
  });

  test('lists the video by its own creation time, not by that of its upload', async () => {
    const [first, second] = [await storeUpload(), await storeUpload()];
    await write({ update: keys.upload(second.ulid), set: { ownerUlid: first.ownerUlid } });
    await handler(storeEvent(second));
    await handler(storeEvent(first, 'arn:execution:2'));
    const { videos } = await listVideos(first.ownerUlid, { offset: 0, limit: 15 });
    expect(videos.map(({ video }) => video.ulid)).toEqual([first.ulid, second.ulid]);
  });

  test('delivered ten times at once creates one video, which one execution claims', async () => {
    const upload = await storeUpload();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => handler(storeEvent(upload, `arn:execution:${n}`))),
    );
    expect(answers.filter(({ decision }) => decision === 'process')).toHaveLength(1);
    expect(answers.filter(({ decision }) => decision === 'already-created')).toHaveLength(9);
    expect(await uploadedBytes(upload)).toBe(1000);
  });

  test('delivered again to the execution that has the video continues it', async () => {
    const upload = await storeUpload();
    await handler(storeEvent(upload));
    expect(await handler(storeEvent(upload))).toMatchObject({ decision: 'process' });
    expect(await uploadedBytes(upload)).toBe(1000);
  });

  test('delivered after the video was deleted creates nothing', async () => {
    const upload = await storeUpload();
    await handler(storeEvent(upload));
    const video = await findVideo(upload.ulid);
    await transact(videoDeletion(video!));
    expect(await handler(storeEvent(upload, 'arn:execution:late'))).toEqual({ decision: 'ignored' });
    expect(await findVideo(upload.ulid)).toBeUndefined();
  });

  test('of an object without an upload tags the object and creates nothing', async () => {
    const key = 'uploads/01K9Z3Q8V7N4T2M6X5C0R1B2D3/01K9Z3Q8V7N4T2M6X5C0R1B2D4/x.mp4';
    expect(await handler(storeEvent({ key }))).toEqual({ decision: 'ignored' });
    expect(store.commandCalls(PutObjectTaggingCommand)).toHaveLength(1);
  });

  test('of an object that was deleted creates nothing', async () => {
    const upload = await storeUpload();
    store.on(HeadObjectCommand).rejects(new NotFound({ message: 'gone', $metadata: {} }));
    expect(await handler(storeEvent(upload))).toEqual({ decision: 'ignored' });
    expect(await uploadedBytes(upload)).toBe(0);
  });

  test('of an empty file creates a failed video with the reason', async () => {
    const upload = await storeUpload();
    store.on(HeadObjectCommand).resolves({ ContentLength: 0 });
    expect(await handler(storeEvent(upload))).toEqual({ decision: 'ignored' });
    const whole = await findWholeVideo(upload.ulid);
    expect(whole?.video.status).toBe('failed');
    expect(whole?.streams[0]?.errorLog).toMatch(/^INPUT_EMPTY: /);
  });

  test('of an upload whose template was deleted creates a failed video with the reason', async () => {
    const upload = await storeUpload();
    await write({ delete: keys.template(upload.templateUlid) });
    await handler(storeEvent(upload));
    const whole = await findWholeVideo(upload.ulid);
    expect(whole?.video.status).toBe('failed');
    expect(whole?.streams[0]?.errorLog).toContain('template');
  });

  test.each(['open', 'completing'] as const)('creates the video also while its upload is still %s', async (status) => {
    const upload = await storeUpload({ status });
    expect(await handler(storeEvent(upload))).toMatchObject({ decision: 'process' });
    expect(await uploadedBytes(upload)).toBe(1000);
  });

  test.each([
    ['an aborted upload', (upload: Upload) => closeUpload(upload, 'aborted')],
    ['a deleted user', ({ ownerUlid }: Upload) => write({ delete: keys.user(ownerUlid) })],
  ])('of %s deletes the object and creates nothing', async (_, undo) => {
    const upload = await storeUpload({ status: 'open' });
    await undo(upload);
    store.on(ListObjectsV2Command).resolves({ Contents: [{ Key: upload.key }] });
    store.on(DeleteObjectsCommand).resolves({});
    expect(await handler(storeEvent(upload))).toEqual({ decision: 'ignored' });
    expect(await findVideo(upload.ulid)).toBeUndefined();
    expect(store.commandCalls(DeleteObjectsCommand)).toMatchObject([
      { args: [{ input: { Delete: { Objects: [{ Key: upload.key }] } } }] },
    ]);
  });
});
