import { randomBytes } from 'node:crypto';
import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { SendTaskFailureCommand, SendTaskSuccessCommand, SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { handler } from '../../../../functions/api/workers.lambda.ts';
import { sha256 } from '../../../../functions/common/secret.ts';
import type { JobId } from '../../../../functions/table/job-id.ts';
import { findJob } from '../../../../functions/table/jobs/job-table.ts';
import { queueJob, requeueJob } from '../../../../functions/table/jobs/queued-jobs.ts';
import type { User } from '../../../../functions/table/records.ts';
import { useFaultyStores } from '../../../../lab/faults/store/faulty-stores.ts';
import { refuseResults } from '../../../../lab/faults/store/refused-result.ts';
import { videoJobKinds } from '../../../../shared/protocol/job-kinds.ts';
import type { Lease } from '../../../../shared/protocol/jobs.ts';
import { callHandler } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { createJobResult } from '../../../fixtures/records/create-job-result.ts';
import { clearQueue, queueProbe } from '../../../fixtures/records/queue-probe.ts';
import { encodeAll, storePlannedVideo } from '../../../fixtures/records/store-encoded-video.ts';
import { storeNode } from '../../../fixtures/records/store-node.ts';

const stores = useFaultyStores();
const states = mockClient(SFNClient);

const query = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [{ format: 'mp4', video: ['v720'] }],
  thumbnails: { poster: { at: '10%', width: 160 } },
};
/** Of a ladder whose qualities are measured, which takes a source of a minute. */
const measured = {
  query: { version: 1, ladder: { codec: 'h264', mode: 'quality' }, outputs: [{ format: 'hls' }] },
  frames: 1800,
};
const secret = randomBytes(32).toString('base64url');

let user: User;
let token: string;
beforeAll(() => {
  Object.assign(process.env, { CLUSTER: 'none', TASK_DEFINITION_FAMILY: 'worker', MAX_TASKS: '0' });
});
beforeEach(async () => {
  states.reset();
  mockClient(ECSClient).on(ListTasksCommand).resolves({ taskArns: [] });
  await clearQueue();
  ({ user } = await createPerson());
  const node = await storeNode({ tokenHash: sha256(secret) });
  token = `${node.ulid}.${secret}`;
});

const sync = (body: object) =>
  callHandler(handler, 'POST /api/workers/sync', { token, body: { worker: 'w1', epoch: 'e1', version: '1', ...body } });
const report = (lease: Lease) => sync({ done: { lease: lease.id, result: createJobResult(lease) }, leaving: true });
const queueing = () => ({ ownerUlid: user.ulid, virtualTimeSeconds: 0 });
const sentErrors = () => states.commandCalls(SendTaskFailureCommand).map(({ args }) => args[0].input.error);

/** A queued job of this kind, of a video in the corresponding state. */
async function queued(kind: (typeof videoJobKinds)[number]): Promise<JobId> {
  if (kind === 'probe') return queueProbe(user);
  const videoUlid =
    kind === 'quality'
      ? await storePlannedVideo(user, measured.query, measured.frames)
      : await storePlannedVideo(user, query);
  if (kind === 'package') await encodeAll(videoUlid, 1);
  const id: JobId = { videoUlid, planNumber: 1, kind, group: 0, index: 0 };
  await queueJob(id, { taskToken: 'token', estimateSeconds: 10, workUnits: 1, ...queueing() });
  return id;
}

describe.each(videoJobKinds)('a result of %s that the table refuses', (kind) => {
  test('once is stored by the next attempt', async () => {
    const id = await queued(kind);
    const first: Lease = (await sync({})).json.lease;
    expect(first.kind).toBe(kind);
    await stores.disturbed(refuseResults({ videoUlid: id.videoUlid, kind, most: 1 }), async () => {
      expect((await report(first)).status).toBe(422);
      expect(sentErrors()).toEqual(['Job.Transient']);
      await requeueJob((await findJob(id))!, 'token-2', queueing());
      expect((await report((await sync({})).json.lease)).status).toBe(200);
    });
    expect(await findJob(id)).toMatchObject({ status: 'DONE', attempt: 2, refusals: 1 });
    expect(states.commandCalls(SendTaskSuccessCommand)).toHaveLength(1);
  });

  test('always fails the job after the third refusal, and does not affect other jobs', async () => {
    const id = await queued(kind);
    await stores.disturbed(refuseResults({ videoUlid: id.videoUlid, kind }), async () => {
      for (let attempt = 1; attempt <= 3; attempt++) {
        const { lease } = (await sync({})).json;
        expect(lease.id).toContain(id.videoUlid);
        const other = await queueProbe((await createPerson()).user);
        expect((await report(lease)).status).toBe(422);
        const next = (await sync({})).json.lease;
        expect(next.id).toContain(other.videoUlid);
        expect((await report(next)).status).toBe(200);
        if (attempt < 3) await requeueJob((await findJob(id))!, 'token', queueing());
      }
    });
    expect(await findJob(id)).toMatchObject({
      status: 'FAILED',
      attempt: 3,
      error: { code: 'RESULT_REFUSED', fatal: true },
    });
    expect(sentErrors()).toEqual(['Job.Transient', 'Job.Transient', 'Job.Fatal']);
  });
});
