import { CopyObjectCommand, HeadObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { ulid as ulidAt } from 'ulid';
import { beforeEach, describe, expect, test } from 'vitest';
import { handler as uploads } from '../../../functions/api/uploads.lambda.ts';
import { readObject, writeObject } from '../../../functions/aws/object-store.ts';
import { handler as createVideo } from '../../../functions/pipeline/create-video.lambda.ts';
import { reconcileObjects } from '../../../functions/reconcile/reconcile-objects.ts';
import { handler as sweep } from '../../../functions/schedule/sweep.lambda.ts';
import { transact, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { listUsage } from '../../../functions/table/statistics/usage-table.ts';
import { createTemplate } from '../../../functions/table/template-table.ts';
import { findVideo } from '../../../functions/table/videos/video-table.ts';
import { videoDeletion } from '../../../functions/table/writes/video-deletion.ts';
import { claimSource } from '../../../functions/uploads/claim-source.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeUpload } from '../../fixtures/records/store-upload.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

type Form = { url: string; fields: Record<string, string> };
let who: Awaited<ReturnType<typeof createPerson>>;
let form: Form;
let ulid: string;

beforeEach(async () => {
  who = await createPerson();
  const template = await createTemplate(who.user.ulid, { name: 'Web', query: { version: 1 } });
  const query = new URLSearchParams({ filename: 'clip.mp4', 'metadata[template]': template.ulid });
  form = (await callHandler(uploads, `GET /api/objstore/params?${query}`, { token: who.token })).json;
  ulid = form.fields.key!.split('/')[2]!;
});

/** Posts the form. S3 accepts it any number of times while its signature is valid. */
async function send(file: string): Promise<void> {
  const body = new FormData();
  for (const [name, value] of Object.entries(form.fields)) body.append(name, value);
  body.append('file', new Blob([file]));
  expect((await fetch(form.url, { method: 'POST', body })).status).toBe(201);
}

const storeEvent = (executionArn: string) =>
  createVideo({ event: { detail: { object: { key: form.fields.key } } }, executionArn });

const objects = async (): Promise<string[]> => {
  const { Contents = [] } = await new S3Client({}).send(
    new ListObjectsV2Command({ Bucket: 'test-bucket', Prefix: `uploads/${who.user.ulid}/${ulid}/` }),
  );
  return Contents.map(({ Key }) => Key!);
};
const source = async (): Promise<string> =>
  Buffer.from(await readObject((await findVideo(ulid))!.sourceKey)).toString();
const countedBytes = async (): Promise<number> =>
  (await listUsage(who.user.ulid, '2000-01-01', '2999-01-01')).reduce((sum, { value }) => sum + value, 0);

describe('a form that is posted again', () => {
  test('after its video was created changes neither source nor usage, and its object is deleted', async () => {
    await send('the first file');
    expect(await storeEvent('arn:1')).toEqual({ decision: 'process', videoUlid: ulid, planNumber: 1 });
    await send('another file, and a longer one');
    expect(await source()).toBe('the first file');
    expect(await storeEvent('arn:2')).toEqual({ decision: 'already-created', videoUlid: ulid, planNumber: 1 });
    const video = (await findVideo(ulid))!;
    expect(video).toMatchObject({ sourceBytes: 14, executionArn: 'arn:1' });
    expect(video.sourceKey).not.toBe(form.fields.key);
    expect(await source()).toBe('the first file');
    expect(await objects()).toEqual([video.sourceKey]);
    expect(await countedBytes()).toBe(14);
  });

  test('before its first event becomes the source, once', async () => {
    await send('the first file');
    await send('another file, and a longer one');
    expect(await storeEvent('arn:1')).toMatchObject({ decision: 'process' });
    expect(await storeEvent('arn:2')).toMatchObject({ decision: 'already-created' });
    expect(await source()).toBe('another file, and a longer one');
    expect([(await findVideo(ulid))?.sourceBytes, await countedBytes()]).toEqual([30, 30]);
  });

  test('and whose event is delivered ten times at once gives one video of one object', async () => {
    await send('the first file');
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => storeEvent(`arn:${n}`)));
    expect(answers.filter(({ decision }) => decision === 'process')).toHaveLength(1);
    await storeEvent('arn:late');
    expect(await objects()).toEqual([(await findVideo(ulid))?.sourceKey]);
    expect(await source()).toBe('the first file');
    expect(await countedBytes()).toBe(14);
  });

  test('after its video was deleted creates none, and its object is deleted', async () => {
    await send('the first file');
    await storeEvent('arn:1');
    await transact(videoDeletion((await findVideo(ulid))!));
    await send('another file');
    expect(await storeEvent('arn:2')).toEqual({ decision: 'ignored' });
    expect(await findVideo(ulid)).toBeUndefined();
    expect(await objects()).toEqual([]);
  });

  test('after its upload was deleted creates no video, and its object is deleted', async () => {
    expect(await callHandler(uploads, `DELETE /api/uploads/${ulid}`, { token: who.token })).toMatchObject({
      status: 204,
    });
    await send('the first file');
    expect(await storeEvent('arn:1')).toEqual({ decision: 'ignored' });
    expect(await objects()).toEqual([]);
  });

  test('is deleted with its video, also when its event is lost', async () => {
    await send('the first file');
    await storeEvent('arn:1');
    await transact(videoDeletion((await findVideo(ulid))!));
    await send('another file');
    const machine = mockClient(SFNClient);
    await sweep();
    machine.restore();
    expect(await objects()).toEqual([]);
  });
});

test('an execution that died after it created the video continues with the source that it claimed', async () => {
  await send('the first file');
  await storeEvent('arn:1');
  await send('another file');
  expect(await storeEvent('arn:1')).toMatchObject({ decision: 'process' });
  expect(await source()).toBe('the first file');
  expect(await objects()).toHaveLength(1);
});

test('objects beside a source are deleted after a day, the source is not', async () => {
  const old = ulidAt(Date.now() - 25 * 3_600_000);
  const folder = `uploads/${who.user.ulid}/${old}/`;
  const [sent, taken] = [`${folder}clip.mp4`, `${folder}taken/${ulid}/clip.mp4`];
  for (const key of [sent, taken]) await writeObject(key, 'x', 'video/mp4');
  await write({ put: { ...keys.video(old), kind: 'video', sourceKey: taken } });
  ulid = old;
  await reconcileObjects({ untilMilliseconds: Date.now(), concurrency: 1 }, false);
  expect(await objects()).toEqual([taken]);
});

describe('claiming the source of a video', () => {
  test('copies a form upload by its ETag, and retries when the object is replaced during the copy', async () => {
    const upload = await storeUpload({ store: 'post', status: 'open' });
    const store = mockClient(S3Client);
    store
      .on(HeadObjectCommand)
      .resolvesOnce({ ContentLength: 5, ETag: '"one"' })
      .resolves({ ContentLength: 7, ETag: '"two"' });
    store
      .on(CopyObjectCommand)
      .rejectsOnce(Object.assign(new Error('replaced'), { name: 'PreconditionFailed' }))
      .resolves({});
    const taken = await claimSource(upload);
    const copies = store.commandCalls(CopyObjectCommand).map(({ args }) => args[0].input);
    store.restore();
    expect(taken).toMatchObject({ bytes: 7, key: copies[1]?.Key });
    expect(copies.map(({ CopySourceIfMatch }) => CopySourceIfMatch)).toEqual(['"one"', '"two"']);
    expect(copies[1]).toMatchObject({ CopySource: `test-bucket/${upload.key}` });
  });

  test('fails when the client replaces the object during each attempt', async () => {
    const upload = await storeUpload({ store: 'post', status: 'open' });
    const store = mockClient(S3Client);
    store.on(HeadObjectCommand).resolves({ ContentLength: 5, ETag: '"one"' });
    store.on(CopyObjectCommand).rejects(Object.assign(new Error('replaced'), { name: 'PreconditionFailed' }));
    await expect(claimSource(upload)).rejects.toThrow('posted again');
    expect(store.commandCalls(CopyObjectCommand)).toHaveLength(3);
    store.restore();
  });

  test('does not copy a multipart upload, which a client cannot replace', async () => {
    const upload = await storeUpload();
    await writeObject(upload.key, 'abc', 'video/mp4');
    expect(await claimSource(upload)).toEqual({ key: upload.key, bytes: 3 });
  });
});
