import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../../functions/api/ingest/store-events.lambda.ts';
import { log } from '../../../../functions/common/log.ts';
import { handler as createVideo } from '../../../../functions/pipeline/create-video.lambda.ts';
import { listUsage } from '../../../../functions/table/statistics/usage-table.ts';
import { findVideo } from '../../../../functions/table/videos/video-table.ts';
import { callHandler, createGatewayEvent, type RequestOptions } from '../../../fixtures/call-handler.ts';
import { storeUpload } from '../../../fixtures/records/store-upload.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const secret = 's'.repeat(43);
const machine = mockClient(SFNClient);
const store = mockClient(S3Client);
const parameters = mockClient(SSMClient);
beforeEach(() => {
  vi.stubEnv('BUCKET_NAME', 'videos');
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:machine');
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
  vi.stubEnv('ALLOWED_ORIGINS', '');
  parameters.reset();
  parameters
    .on(GetParameterCommand, { Name: '/video-service/test/store-webhook-secret' })
    .resolves({ Parameter: { Value: secret } });
  machine.reset();
  machine.on(StartExecutionCommand).resolves({});
  store.reset();
  store.on(HeadObjectCommand).resolves({ ContentLength: 1000 });
});
afterAll(() => {
  for (const mock of [machine, store, parameters]) mock.restore();
  vi.unstubAllEnvs();
});

const path = 'POST /api/store-events';
const record = (key: string) => ({
  eventName: 's3:ObjectCreated:CompleteMultipartUpload',
  s3: { bucket: { name: 'videos' }, object: { key: encodeURIComponent(key) } },
});
const notify = (keys: string[], sent: RequestOptions = { token: secret }) =>
  callHandler(handler, path, { body: { EventName: 'x', Records: keys.map(record) }, ...sent });
const inputs = (): { detail: { object: { key: string } } }[] =>
  machine.commandCalls(StartExecutionCommand).map(({ args }) => JSON.parse(args[0].input.input!));

test('a notification starts the pipeline for each of its objects', async () => {
  const keys = ['uploads/a/b/c.mp4', 'ingest/t/d e.mp4'];
  expect(await notify(keys)).toMatchObject({ status: 200, json: { started: 2 } });
  expect(inputs().map(({ detail }) => detail.object.key)).toEqual(keys);
  expect(await notify(['videos/x.mp4'])).toMatchObject({ status: 200, json: { started: 0 } });
});

test('notifications that are repeated and arrive at once make one video', async () => {
  const upload = await storeUpload();
  await Promise.all(Array.from({ length: 5 }, () => notify([upload.key])));
  expect(inputs()).toHaveLength(5);
  const run = async (event: object, n: number) => (await createVideo({ event, executionArn: `arn:${n}` })).decision;
  const decisions = await Promise.all(inputs().map(run));
  expect(decisions.toSorted()).toEqual([...Array(4).fill('already-created'), 'process']);
  expect((await findVideo(upload.ulid))?.sourceBytes).toBe(1000);
  const usage = await listUsage(upload.ownerUlid, '2000-01-01', '2999-01-01');
  expect(usage.map(({ value }) => value)).toEqual([1000]);
});

test.each<[string, RequestOptions]>([
  ['no secret', {}],
  ['another secret', { token: 'x'.repeat(43) }],
  ['a part of the secret', { token: secret.slice(1) }],
  ['a longer secret', { token: `${secret}s` }],
  ['another scheme', { headers: { authorization: `Basic ${secret}` } }],
  ['the secret alone', { headers: { authorization: secret } }],
  ['the secret in a cookie', { session: secret }],
])('a request with %s is 401 and starts nothing', async (_, sent) => {
  expect(await notify(['uploads/a/b/c.mp4'], sent)).toMatchObject({
    status: 401,
    json: { message: 'Unauthenticated.' },
    headers: { 'www-authenticate': 'Bearer' },
  });
  expect(machine.commandCalls(StartExecutionCommand)).toEqual([]);
});

test('the secret is checked before the body is read', async () => {
  expect(await callHandler(handler, path, { text: '{' })).toMatchObject({ status: 401 });
});

test.each<[string, string, number]>([
  ['is not JSON', '{', 400],
  ['is empty', '', 400],
  ['is not a notification', '{"Records":[{}]}', 422],
  ['is larger than 1 MiB', `{"Records":[],"x":"${'x'.repeat(2 ** 20)}"}`, 413],
])('a body that %s is an error', async (_, text, status) => {
  expect(await callHandler(handler, path, { token: secret, text })).toMatchObject({ status });
});

test('a body in Base64 is read', async () => {
  const event = createGatewayEvent(path, { token: secret, body: { Records: [record('ingest/t/a.mp4')] } });
  const body = Buffer.from(event.body!).toString('base64');
  expect(await handler({ ...event, body, isBase64Encoded: true })).toMatchObject({ statusCode: 200 });
  expect(inputs()).toHaveLength(1);
});

test('other methods and paths are refused', async () => {
  expect(await callHandler(handler, 'GET /api/store-events', { token: secret })).toMatchObject({
    status: 405,
    headers: { allow: 'POST' },
  });
  expect(await callHandler(handler, 'POST /api/store-events/x', { token: secret })).toMatchObject({ status: 404 });
});

test('when the pipeline cannot be started, the answer is an error, so that the store repeats the notification', async () => {
  vi.spyOn(log, 'warn').mockImplementation(() => {});
  machine.on(StartExecutionCommand).rejects(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
  expect(await notify(['uploads/a/b/c.mp4'])).toMatchObject({ status: 503 });
});
