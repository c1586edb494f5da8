import { createHash, randomBytes } from 'node:crypto';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, HeadObjectCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { SendTaskFailureCommand, SendTaskSuccessCommand, SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { handler } from '../../../functions/api/workers.lambda.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { findNode, type Node } from '../../../functions/table/nodes/node-table.ts';
import { now, timestamp } from '../../../shared/clock.ts';
import { frameIndexKey, plansPrefix } from '../../../shared/object-keys.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue, probeResult, type QueuedProbe, queueProbe } from '../../fixtures/records/queue-probe.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
process.env.OPERATE_FUNCTION = 'operate';

const states = mockClient(SFNClient);
const lambda = mockClient(LambdaClient);
const secret = randomBytes(32).toString('base64url');
const tokenHash = createHash('sha256').update(secret).digest('hex');
let node: Node;
let id: QueuedProbe;
beforeEach(async () => {
  states.reset();
  lambda.reset();
  await clearQueue();
  node = await storeNode({ tokenHash, lastSeenAt: null });
  id = await queueProbe((await createPerson()).user);
});

const sync = async (body: object = {}, token = `${node.ulid}.${secret}`) =>
  callHandler(handler, 'POST /api/workers/sync', { token, body: { worker: 'w1', epoch: 'e1', version: '1', ...body } });
const files = (body: object, token = `${node.ulid}.${secret}`) =>
  callHandler(handler, 'POST /api/workers/files', { token, body });

describe('a sync of a worker', () => {
  test('is answered with the next job, and acknowledges the report in the same response', async () => {
    const { json } = await sync({ hello: true });
    expect(json.lease).toMatchObject({ kind: 'probe' });
    expect((await findNode(node.ulid))?.lastSeenAt).not.toBeNull();
    const next = await sync({ done: { lease: json.lease.id, result: probeResult } });
    expect(next.json).toMatchObject({ acknowledged: json.lease.id, nextMs: expect.any(Number) });
    expect(await findJob(id)).toMatchObject({ status: 'DONE' });
    expect(states.commandCalls(SendTaskSuccessCommand)).toHaveLength(1);
  });

  test('that is repeated after a lost response gets the same lease', async () => {
    await queueProbe((await createPerson()).user);
    const lost = (await sync()).json.lease.id;
    const given = (await sync({ again: true })).json.lease.id;
    expect(given).toBe(lost);
    expect((await sync({ again: true, worker: 'w2' })).json.lease.id).not.toBe(lost);
    // Another process with the same name does not get it.
    expect((await sync({ again: true, epoch: 'e2' })).json.lease).toBeUndefined();
  });

  test('is rejected without the token of an existing node', async () => {
    for (const token of [`${node.ulid}.${randomBytes(32).toString('base64url')}`, 'x', `${newUlid()}.${secret}`]) {
      expect((await sync({}, token)).status).toBe(401);
      expect((await files({ ask: 'outputs', lease: 'x', from: 'a' }, token)).status).toBe(401);
    }
  });

  test.each(['/api/workers/sync', '/api/workers/files'] as const)(
    'to %s is authenticated before its body is looked at',
    async (path) => {
      const bodies = [
        [{ text: '{' }, 400],
        [{ text: '{}', headers: { 'content-type': 'text/plain' } }, 415],
        [{ text: `"${'x'.repeat(5 * 2 ** 20)}"` }, 413],
        [{ text: '{}' }, 422],
      ] as const;
      for (const [sent, status] of bodies) {
        expect((await callHandler(handler, `POST ${path}`, sent)).status).toBe(401);
        expect((await callHandler(handler, `POST ${path}`, { ...sent, token: `${node.ulid}.${secret}` })).status).toBe(
          status,
        );
      }
    },
  );

  test.each(['draining', 'deleting'] as const)(
    'of a node that is %s gets nothing new, and what runs may end',
    async (status) => {
      const { json } = await sync();
      const leaving = await storeNode({ tokenHash, status });
      await queueProbe((await createPerson()).user);
      expect((await sync({}, `${leaving.ulid}.${secret}`)).json).toMatchObject({ drain: true });
      expect((await sync({}, `${leaving.ulid}.${secret}`)).json.lease).toBeUndefined();
      const running = await sync({ running: { lease: json.lease.id, progress: 0.5 } }, `${leaving.ulid}.${secret}`);
      expect(running.json).toMatchObject({ drain: true });
      expect(running.json.cancel).toBeUndefined();
    },
  );

  test.each([
    ['draining', 'drain'],
    ['deleting', 'remove'],
  ] as const)('with the last report of a node that is %s starts its cleanup', async (status, step) => {
    await queueProbe((await createPerson()).user);
    const [first, second] = [(await sync()).json.lease.id, (await sync({ worker: 'w2' })).json.lease.id];
    await write({
      update: keys.node(node.ulid),
      set: { status, drainUntil: timestamp(now() + 60_000) },
      when: { exists: true },
    });
    await sync({ done: { lease: first, result: probeResult } });
    expect([(await findNode(node.ulid))?.work, lambda.calls().length]).toEqual([undefined, 0]);

    expect((await sync({ worker: 'w2', done: { lease: second, result: probeResult } })).json).toMatchObject({
      acknowledged: second,
      drain: true,
    });
    expect(await findNode(node.ulid)).toMatchObject({ status, work: { step, attempt: 1 } });
    await sync();
    expect(lambda.commandCalls(InvokeCommand)).toHaveLength(1);
  });

  test('succeeds also when the cleanup of its node fails, which is retried within a minute', async () => {
    lambda.rejects(new Error('throttled'));
    const leaving = await storeNode({ tokenHash, status: 'draining', drainUntil: timestamp(now() + 60_000) });
    expect((await sync({}, `${leaving.ulid}.${secret}`)).status).toBe(200);
  });

  test.each(['pending', 'deploying', 'failed'] as const)('of a node that is %s gets no job', async (status) => {
    const other = await storeNode({ tokenHash, status, verified: false });
    const { json } = await sync({}, `${other.ulid}.${secret}`);
    expect(json.lease).toBeUndefined();
    expect(json.drain).toBeUndefined();
  });

  test('of an interrupted worker returns its job to the queue at once', async () => {
    const { json } = await sync();
    const failed = { lease: json.lease.id, code: 'WORKER_STOPPED', fatal: false, message: 'worker is shutting down' };
    expect((await sync({ failed, leaving: true })).json).toMatchObject({ acknowledged: json.lease.id });
    expect(states.commandCalls(SendTaskFailureCommand)[0]?.args[0].input).toMatchObject({ error: 'Worker.Lost' });
  });

  test('of a restarted process ends its previous leases', async () => {
    await sync();
    await sync({ epoch: 'e2', hello: true, leaving: true });
    expect(await findJob(id)).toMatchObject({ status: 'FAILED', error: { code: 'WORKER_STOPPED' } });
  });
});

describe('a lease', () => {
  const key = () => frameIndexKey(id.videoUlid);
  const file = () => key().slice(plansPrefix(id.videoUlid).length);
  const put = async (url: string, body: string) => fetch(url, { method: 'PUT', body });

  test('has URLs of its files only', async () => {
    const { lease } = (await sync()).json;
    const given = await files({ ask: 'outputs', lease: lease.id, from: file() });
    expect(Object.keys(given.json.urls)).toEqual([file()]);
    expect((await put(given.json.urls[file()], 'frames')).status).toBe(200);
    expect(await new S3Client({}).send(new HeadObjectCommand({ Bucket: 'test-bucket', Key: key() }))).toMatchObject({
      ContentLength: 6,
    });
    expect((await files({ ask: 'outputs', lease: lease.id, from: 'other.mp4' })).status).toBe(422);
    expect((await files({ ask: 'open', lease: lease.id, file: '../x' })).status).toBe(422);
    expect((await files({ ask: 'inputs', lease: lease.id, from: 'source' })).json.urls.source).toContain('/uploads/');
  });

  test('can upload a file in parts, which are joined once, and can abort it', async () => {
    const { lease } = (await sync()).json;
    const about = { lease: lease.id, file: file() };
    const { s3UploadId } = (await files({ ask: 'open', ...about })).json;
    const { urls } = (await files({ ask: 'parts', ...about, s3UploadId, from: 1, count: 2 })).json;
    expect(Object.keys(urls)).toEqual(['1', '2']);
    const sent = await put(urls[1], 'all of it');
    const parts = [{ number: 1, etag: sent.headers.get('etag') }];
    for (let n = 0; n < 2; n++) expect((await files({ ask: 'close', ...about, s3UploadId, parts })).status).toBe(200);
    const client = new S3Client({});
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'test-bucket', Key: key() }));
    expect(await Body?.transformToString()).toBe('all of it');

    const again = (await files({ ask: 'open', ...about })).json.s3UploadId;
    expect((await files({ ask: 'close', ...about, s3UploadId: again, parts })).status).toBe(422);
    await files({ ask: 'abort', ...about, s3UploadId: again });
    const open = await client.send(new ListMultipartUploadsCommand({ Bucket: 'test-bucket' }));
    expect(open.Uploads ?? []).toEqual([]);
  });

  test('that has ended or never existed has no URLs', async () => {
    const { lease } = (await sync()).json;
    await sync({ done: { lease: lease.id, result: probeResult }, leaving: true });
    expect((await files({ ask: 'outputs', lease: lease.id, from: file() })).status).toBe(409);
    const invented = lease.id.replace(/[^.]+$/, 'AAAAAAAAAAAAAAAA');
    expect((await files({ ask: 'open', lease: invented, file: file() })).status).toBe(409);
  });
});
