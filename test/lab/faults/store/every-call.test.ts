import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { ListMultipartUploadsCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  DescribeExecutionCommand,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { handler as uploads } from '../../../../functions/api/uploads.lambda.ts';
import { handler as videos } from '../../../../functions/api/videos.lambda.ts';
import { handler as workers } from '../../../../functions/api/workers.lambda.ts';
import { newUlid } from '../../../../functions/common/ids.ts';
import { handler as createVideo } from '../../../../functions/pipeline/create-video.lambda.ts';
import { handler as enqueue } from '../../../../functions/pipeline/enqueue.lambda.ts';
import { handler as fail } from '../../../../functions/pipeline/fail.lambda.ts';
import { expireLeases } from '../../../../functions/queue/expire-leases.ts';
import { handler as sweep } from '../../../../functions/schedule/sweep.lambda.ts';
import { findAdmitted } from '../../../../functions/table/admission/slots.ts';
import { firstDue } from '../../../../functions/table/items/due-pages.ts';
import { getItem, queryItems, transact, write } from '../../../../functions/table/items/items.ts';
import { keys, ulidIn } from '../../../../functions/table/items/keys.ts';
import { findJob, findJobs } from '../../../../functions/table/jobs/job-table.ts';
import { storePoolToken } from '../../../../functions/table/nodes/pool-node.ts';
import { type Upload, uploadRecord } from '../../../../functions/table/records.ts';
import { listUsage } from '../../../../functions/table/statistics/usage-table.ts';
import { createTemplate } from '../../../../functions/table/template-table.ts';
import { findVideo } from '../../../../functions/table/videos/video-table.ts';
import { videoDeletion } from '../../../../functions/table/writes/video-deletion.ts';
import { expectSameWhateverFails } from '../../../../lab/faults/store/every-call.ts';
import { useFaultyStores } from '../../../../lab/faults/store/faulty-stores.ts';
import { videoPrefix } from '../../../../shared/object-keys.ts';
import { callHandler } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { clearQueue, probeResult, queueProbe } from '../../../fixtures/records/queue-probe.ts';
import { storeUpload } from '../../../fixtures/records/store-upload.ts';
import { storeVideo } from '../../../fixtures/records/store-video.ts';

const stores = useFaultyStores();
const states = mockClient(SFNClient);
const tasks = mockClient(ECSClient);
const bucket = { Bucket: 'test-bucket' };

beforeEach(() => {
  states.reset();
  states.on(DescribeExecutionCommand).resolves({ status: 'RUNNING' });
  tasks.on(ListTasksCommand).resolves({ taskArns: [] });
  for (const [name, value] of Object.entries({
    STATE_MACHINE_ARN: 'arn:machine',
    CLUSTER: 'none',
    TASK_DEFINITION_FAMILY: 'worker',
    MAX_TASKS: '0',
  }))
    vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** All combinations are several hundred; a sample of each scenario runs by default. */
const every = Number(process.env.EVERY ?? 97);
const loose = z.looseObject({});
const usageOf = async (ownerUlid: string) =>
  (await listUsage(ownerUlid, '2000-01-01', '2999-01-01')).map(({ metric, value }) => [metric, value]);
const countsOf = async (ownerUlid: string) => {
  const { videos, openUploads } = ((await getItem(loose, keys.userCounts(ownerUlid))) ?? {}) as Record<string, number>;
  return { videos: videos ?? 0, openUploads: openUploads ?? 0 };
};
const startedOf = (ulid: string) =>
  [
    ...new Set(
      states
        .commandCalls(StartExecutionCommand)
        .map(({ args }) => args[0].input.name ?? '')
        .filter((name) => name.startsWith(ulid)),
    ),
  ].map((name) => name.slice(26));
const toldOf = (token: string) => ({
  succeeded: states.commandCalls(SendTaskSuccessCommand).some(({ args }) => args[0].input.taskToken === token),
  failed: states
    .commandCalls(SendTaskFailureCommand)
    .filter(({ args }) => args[0].input.taskToken === token)
    .map(({ args }) => args[0].input.error)[0],
});
const objectsBelow = async (prefix: string) =>
  ((await new S3Client({}).send(new ListObjectsV2Command({ ...bucket, Prefix: prefix }))).Contents ?? []).length;
const multipartsBelow = async (prefix: string) =>
  ((await new S3Client({}).send(new ListMultipartUploadsCommand({ ...bucket, Prefix: prefix }))).Uploads ?? []).length;

/** Returns the response; an API error is thrown, so that the client retries. */
async function asked(...request: Parameters<typeof callHandler>) {
  const answer = await callHandler(...request);
  if (answer.status < 500) return answer;
  expect(answer.json).toEqual({
    message: expect.any(String),
    code: expect.any(String),
    request_id: expect.any(String),
  });
  throw new Error(`answered ${answer.status}`);
}

describe('of the pipeline', () => {
  test('CreateVideo', async () => {
    await expectSameWhateverFails(
      stores,
      {
        async arrange() {
          const upload = await storeUpload();
          await new S3Client({}).send(new PutObjectCommand({ ...bucket, Key: upload.key, Body: 'a video' }));
          return upload;
        },
        act: ({ key, ulid }) =>
          createVideo({ event: { detail: { object: { key } } }, executionArn: `arn:${ulid}` }).then(({ decision }) =>
            expect(decision).toBe('process'),
          ),
        look: async ({ ulid, ownerUlid }: Upload) => ({
          status: (await findVideo(ulid))?.status,
          usage: await usageOf(ownerUlid),
          counts: await countsOf(ownerUlid),
          place: (await findAdmitted())[ulid] === ownerUlid,
        }),
      },
      every,
    );
  });

  test('a queued job', async () => {
    await expectSameWhateverFails(
      stores,
      {
        async arrange() {
          await clearQueue();
          const { user } = await createPerson();
          return (await storeVideo(user, { status: 'downloading' })).video;
        },
        act: ({ ulid }) => enqueue({ taskToken: `t-${ulid}`, videoUlid: ulid, planNumber: 1, kind: 'probe', index: 0 }),
        look: async ({ ulid, ownerUlid }) => ({
          jobs: (await findJobs(ulid, 0)).map(({ status, attempt, taskToken }) => [
            status,
            attempt,
            taskToken.slice(0, 2),
          ]),
          isInLine: (await getItem(loose, keys.queueUser(ownerUlid)))?.queueOrder !== undefined,
        }),
      },
      every,
    );
  });

  test('a failed execution', async () => {
    await expectSameWhateverFails(
      stores,
      {
        async arrange() {
          await clearQueue();
          const { user } = await createPerson();
          const id = await queueProbe(user);
          return (await findVideo(id.videoUlid))!;
        },
        act: ({ ulid }) =>
          fail({ videoUlid: ulid, planNumber: 1, error: { Error: 'Job.Fatal', Cause: 'INPUT_X: No.' } }),
        look: async ({ ulid }) => ({
          status: (await findVideo(ulid))?.status,
          jobs: (await findJobs(ulid, 0)).map(({ status }) => status),
          marks: (await queryItems(keys.working(ulid).pk, keys.working(ulid).sk)).length > 0,
        }),
      },
      every,
    );
  });
});

describe('of a worker', () => {
  const secret = 's'.repeat(43);
  const sync = (body: object) =>
    asked(workers, 'POST /api/workers/sync', {
      token: `pool.${secret}`,
      body: { worker: 'w1', epoch: 'e', version: '1', ...body },
    });
  /** Calls like a worker: a repeated call is marked as such. */
  const worker = () => {
    const name = newUlid();
    let sent = 0;
    return (body: object) => sync({ worker: name, ...body, ...(sent++ > 0 && { again: true }) });
  };
  const arrange = async () => {
    await storePoolToken(secret);
    await clearQueue();
    const { user } = await createPerson();
    return { id: await queueProbe(user), lease: '', call: worker() };
  };
  type Scene = Awaited<ReturnType<typeof arrange>>;
  const lookAtJob = async ({ id }: Scene) => {
    const { status, attempt, error, taskToken } = (await findJob(id))!;
    const video = (await findVideo(id.videoUlid))!;
    return { status, attempt, error, told: toldOf(taskToken), usage: await usageOf(video.ownerUlid) };
  };
  const leased = async () => {
    const scene = await arrange();
    const { json } = await scene.call({});
    return { ...scene, lease: json.lease.id as string };
  };
  test('the call that leases a job', async () => {
    await expectSameWhateverFails(
      stores,
      {
        arrange,
        act: async (scene) => {
          const { json } = await scene.call({});
          scene.lease = json.lease?.id ?? 'none';
        },
        look: async (scene) => ({
          ...(await lookAtJob(scene)),
          knows: (await findJob(scene.id))!.lease === scene.lease,
        }),
      },
      every,
    );
  });

  test('the report of a result', async () => {
    await expectSameWhateverFails(
      stores,
      { arrange: leased, act: ({ lease }) => sync({ done: { lease, result: probeResult } }), look: lookAtJob },
      every,
    );
  });

  test('the report of a failure', async () => {
    await expectSameWhateverFails(
      stores,
      {
        arrange: leased,
        act: ({ lease }) => sync({ failed: { lease, code: 'STORE_FAILED', fatal: false, message: 'busy' } }),
        look: lookAtJob,
      },
      every,
    );
  });

  test('the expiry of its lease', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await expectSameWhateverFails(
      stores,
      {
        async arrange() {
          vi.setSystemTime(Date.now() - 100_000);
          const scene = await leased();
          vi.setSystemTime(Date.now() + 100_000);
          return scene;
        },
        act: () => expireLeases(),
        look: lookAtJob,
      },
      every,
    );
    vi.useRealTimers();
  });
});

describe('of the API', () => {
  const owner = async () => {
    const { user, token } = await createPerson();
    return { user, token, template: await createTemplate(user.ulid, { name: 'Web', query: { version: 1 } }) };
  };
  const openOne = async () => {
    const { user, token, template } = await owner();
    const body = { filename: 'clip.mp4', metadata: { template: template.ulid } };
    const { json } = await asked(uploads, 'POST /api/objstore/multipart', { token, body });
    const path = `/api/objstore/multipart/${json.uploadId}` as const;
    const { url } = (await asked(uploads, `GET ${path}/1`, { token })).json;
    const sent = await fetch(url, { method: 'PUT', body: 'a video' });
    const parts = [{ PartNumber: 1, ETag: sent.headers.get('etag') }];
    return { user, token, path, parts, key: json.key as string, ulid: json.ulid as string };
  };
  type Opened = Awaited<ReturnType<typeof openOne>>;
  const lookAtUpload = async ({ user, key, ulid }: Opened) => ({
    status: (await getItem(uploadRecord, keys.upload(ulid)))?.status,
    counts: await countsOf(user.ulid),
    objects: await objectsBelow(key),
    multiparts: await multipartsBelow(key),
  });

  test('creating an upload, without leaving an open upload unknown to the client', async () => {
    await expectSameWhateverFails(
      stores,
      {
        arrange: owner,
        act: ({ token, template }) =>
          asked(uploads, 'POST /api/objstore/multipart', {
            token,
            body: { filename: 'clip.mp4', metadata: { template: template.ulid } },
          }),
        look: async ({ user }) => ({ openUploads: (await countsOf(user.ulid)).openUploads }),
      },
      every,
    );
  });

  test('completing an upload', async () => {
    await expectSameWhateverFails(
      stores,
      {
        arrange: openOne,
        act: ({ token, path, parts }) => asked(uploads, `POST ${path}/complete`, { token, body: { parts } }),
        look: lookAtUpload,
      },
      every,
    );
  });

  test('aborting an upload', async () => {
    await expectSameWhateverFails(
      stores,
      { arrange: openOne, act: ({ token, path }) => asked(uploads, `DELETE ${path}`, { token }), look: lookAtUpload },
      every,
    );
  });

  const video = (status: 'failed' | 'running') => async () => {
    const { user, token } = await createPerson();
    return { user, token, ...(await storeVideo(user, { status })) };
  };

  test('deleting a video', async () => {
    await expectSameWhateverFails(
      stores,
      {
        arrange: video('running'),
        act: ({ token, video: { ulid } }) => asked(videos, `DELETE /api/videos/${ulid}`, { token }),
        look: async ({ user, video: { ulid }, template }) => ({
          isThere: (await findVideo(ulid)) !== undefined,
          counts: await countsOf(user.ulid),
          references: (await getItem(loose, keys.templateCounts(template.ulid)))?.references,
          isToBeSwept: (await firstDue('deleted', 1000)).some((item) => ulidIn(item) === ulid),
        }),
      },
      every,
    );
  });

  test('processing a video again', async () => {
    await expectSameWhateverFails(
      stores,
      {
        arrange: video('failed'),
        act: ({ token, video: { ulid } }) => asked(videos, `POST /api/videos/${ulid}/reprocess`, { token }),
        look: async ({ video: { ulid } }) => ({
          status: (await findVideo(ulid))?.status,
          started: startedOf(ulid),
        }),
      },
      every,
    );
  });
});

describe('of the schedule', () => {
  test('the sweep of a deleted video', async () => {
    await expectSameWhateverFails(
      stores,
      {
        async arrange() {
          const { user } = await createPerson();
          const { video, streams } = await storeVideo(user, { status: 'completed' });
          await new S3Client({}).send(
            new PutObjectCommand({ ...bucket, Key: `${videoPrefix(video.ulid)}r1/a.m4s`, Body: 'x' }),
          );
          await transact(videoDeletion(video));
          await write({ update: keys.video(video.ulid), set: { deletedAt: '2026-01-01T00:00:00.000000Z' } });
          return { ulid: video.ulid, stream: streams[0]!.ulid };
        },
        act: () => sweep(),
        look: async ({ ulid, stream }) => ({
          records: (await queryItems(keys.video(ulid).pk)).length,
          objects: await objectsBelow(videoPrefix(ulid)),
          id: await getItem(loose, keys.id('stream', stream)),
        }),
      },
      every,
    );
  });
});
