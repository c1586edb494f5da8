import {
  CopyObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NotFound,
  PutObjectTaggingCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { handler } from '../../../functions/pipeline/create-video.lambda.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import type { Upload } from '../../../functions/table/records.ts';
import { listVideos } from '../../../functions/table/videos/video-list.ts';
import { storeUpload } from '../../fixtures/records/store-upload.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const store = mockClient(S3Client);
let template: Upload;
let key: string;
beforeEach(async () => {
  store.reset();
  store.on(HeadObjectCommand).resolves({ ContentLength: 1000, ETag: '"1"' });
  store.on(CopyObjectCommand).resolves({});
  store.on(ListObjectsV2Command).resolves({ Contents: [] });
  // It has an owner and a template.
  template = await storeUpload();
  await write({ put: { ...keys.templateCounts(template.templateUlid), kind: 'counts', references: 1 } });
  key = `ingest/${template.templateUlid}/2026/holiday film+1.mov`;
});

let executions = 0;
const receive = (name = key) =>
  handler({ event: { detail: { object: { key: name } } }, executionArn: `arn:execution:${executions++}` });
const videos = async () => (await listVideos(template.ownerUlid, { offset: 0, limit: 15 })).videos;
const tagged = () => store.commandCalls(PutObjectTaggingCommand).map(({ args }) => args[0].input.Key);

test('an object below the watch prefix becomes one video of the owner of its template, however often its event comes', async () => {
  expect(await receive()).toMatchObject({ decision: 'process' });
  await Promise.all([receive(), receive()]);
  const found = await videos();
  expect(found.map(({ video }) => video)).toMatchObject([
    { name: 'holiday film+1.mov', sourceBytes: 1000, templateUlid: template.templateUlid },
  ]);
  const [copy] = store.commandCalls(CopyObjectCommand);
  expect(copy?.args[0].input).toMatchObject({ CopySourceIfMatch: '"1"', Key: found[0]!.video.sourceKey });
  expect(copy?.args[0].input.CopySource).toMatch(/2026\/holiday%20film%2B1\.mov$/);
});

test('other content under the same key becomes another video', async () => {
  await receive();
  store.on(HeadObjectCommand).resolves({ ContentLength: 1000, ETag: '"2"' });
  await receive();
  expect(await videos()).toHaveLength(2);
});

test.each([
  ['names no template', () => key.replace(template.templateUlid, '01K9Z3P6M8N9P0Q1R2S3T4V5W7')],
  ['is not of the form ingest/{template}/{name}', () => 'ingest/film.mov'],
  ['has no name', () => `ingest/${template.templateUlid}/`],
])('an object whose key %s is tagged and becomes no video', async (_, name) => {
  expect(await receive(name())).toEqual({ decision: 'ignored' });
  expect(tagged()).toEqual([name()]);
  expect(await videos()).toEqual([]);
});

test('an empty object is tagged, and a deleted one is ignored', async () => {
  store.on(HeadObjectCommand).resolves({ ContentLength: 0, ETag: '"0"' });
  await receive();
  expect(tagged()).toEqual([key]);
  store.on(HeadObjectCommand).rejects(new NotFound({ message: '', $metadata: {} }));
  expect(await receive()).toEqual({ decision: 'ignored' });
  expect(await videos()).toEqual([]);
});
