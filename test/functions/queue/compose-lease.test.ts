import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { handler as startPackaging } from '../../../functions/pipeline/start-packaging.lambda.ts';
import { handleFileRequest } from '../../../functions/queue/lease-files.ts';
import { heldLease, leaseNext } from '../../../functions/queue/lease-next.ts';
import { reportRunning } from '../../../functions/queue/report.ts';
import { reportFailed } from '../../../functions/queue/report-failure.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { queueJob, requeueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { countTableCalls } from '../../fixtures/records/count-table-calls.ts';
import { storeChunkedVideo } from '../../fixtures/records/store-chunked-video.ts';
import { encodeAll, storePlannedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
mockClient(SFNClient);

const caller = { node: 'pool', worker: 'w1', epoch: 'e1' };

test('a restored lease has the URLs of the attempt that it was given for, not those of a later one', async () => {
  const { user } = await createPerson();
  const { ulid: videoUlid } = await storeChunkedVideo(user, 1);
  const id = { videoUlid, planNumber: 1, kind: 'encode-video' as const, group: 0, index: 0 };
  const place = { ownerUlid: user.ulid, virtualTimeSeconds: 0 };
  await queueJob(id, { taskToken: 'token', estimateSeconds: 10, workUnits: 1, ...place });
  const first = (await leaseNext(caller))!;
  const lose = async (lease: string) => {
    await reportFailed({ lease, code: 'WORKER_STOPPED', message: 'm', fatal: false });
    await requeueJob((await findJob(id))!, 'token', place);
  };
  await lose(first.id);
  await lose((await leaseNext({ ...caller, worker: 'w2' }))!.id);
  expect(await reportRunning(caller, { lease: first.id, progress: 0.1 })).toBe(true);

  const folder = `videos/${videoUlid}/r1/encode-video-00-00000-a`;
  const held = (await heldLease(caller))!;
  expect(held.id).toBe(first.id);
  expect(Object.values(first.outputs)[0]).toContain(`${folder}1/`);
  expect(Object.values(held.outputs)[0]).toContain(`${folder}1/`);
});

test('the inputs that the worker of a package job requests are found without the results of all encodes', async () => {
  const { user } = await createPerson();
  const videoUlid = await storePlannedVideo(user, {
    version: 1,
    video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
    audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
    outputs: [{ name: 'file', format: 'mp4' }],
  });
  await encodeAll(videoUlid, 1);
  await startPackaging({ videoUlid, planNumber: 1 });
  const id = { videoUlid, planNumber: 1, kind: 'package' as const, group: 0, index: 0 };
  const place = { ownerUlid: user.ulid, virtualTimeSeconds: 0 };
  await queueJob(id, { taskToken: 'token', estimateSeconds: 10, workUnits: 1, ...place });
  const lease = (await leaseNext(caller))!;
  expect(Object.keys(lease.inputs)).toContain('v720/1');

  let urls: Record<string, string> | undefined = {};
  const { calls } = await countTableCalls(async () => {
    ({ urls } = await handleFileRequest({ ask: 'inputs', lease: lease.id, from: 'v720/1' }, caller));
  });
  // The job with its video.
  expect(calls).toEqual(['BatchGetCommand']);
  expect(Object.keys(urls ?? {})).toEqual(Object.keys(lease.inputs).slice(1));
});
