// A thread of the orchestration bench. Posts the workers' token, then queues as many jobs as each message says and
// confirms each message.

import { parentPort } from 'node:worker_threads';
import { readParameter } from '../../../functions/aws/parameters.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { createPerson } from '../../../test/fixtures/create-person.ts';
import { storeChunkedVideo } from '../../../test/fixtures/records/store-chunked-video.ts';

const { user } = await createPerson();
parentPort?.on('message', async (count: number) => {
  const video = await storeChunkedVideo(user, count);
  const properties = { kind: 'encode-video', taskToken: 'nobody waits', estimateSeconds: 1, workUnits: 1 } as const;
  for (let index = 0; index < count; index++) {
    const id = { videoUlid: video.ulid, planNumber: 1, kind: 'encode-video' as const, group: 0, index };
    await queueJob(id, { ...properties, ownerUlid: user.ulid, virtualTimeSeconds: index });
  }
  parentPort?.postMessage('queued');
});
parentPort?.postMessage(await readParameter('worker-token'));
