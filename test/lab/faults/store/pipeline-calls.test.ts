import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, test, vi } from 'vitest';
import { checkSlots } from '../../../../functions/admission/admission.ts';
import { signedUrlSeconds } from '../../../../functions/common/limits.ts';
import { handler as createVideo } from '../../../../functions/pipeline/create-video.lambda.ts';
import { handler as plan } from '../../../../functions/pipeline/plan.lambda.ts';
import { handler as sweep } from '../../../../functions/schedule/sweep.lambda.ts';
import { findAdmitted } from '../../../../functions/table/admission/slots.ts';
import { queryItems, write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import type { User } from '../../../../functions/table/records.ts';
import { reprocessVideo } from '../../../../functions/table/videos/reprocess-video.ts';
import { findWholeVideo } from '../../../../functions/table/videos/video-table.ts';
import { expectSameWhateverFails } from '../../../../lab/faults/store/every-call.ts';
import { useFaultyStores } from '../../../../lab/faults/store/faulty-stores.ts';
import { videoPrefix } from '../../../../shared/object-keys.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { executionArn, runPipeline, storeEncodedVideo } from '../../../fixtures/records/store-encoded-video.ts';

const stores = useFaultyStores();

beforeEach(() => {
  for (const [name, value] of Object.entries({ CLUSTER: 'none', TASK_DEFINITION_FAMILY: 'worker', MAX_TASKS: '0' })) {
    vi.stubEnv(name, value);
  }
  mockClient(SFNClient);
  mockClient(ECSClient).on(ListTasksCommand).resolves({ taskArns: [] });
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/**
 * Reap releases slots every minute. A sweep removes leftover files: those of replaced outputs an hour after the last
 * signed URL of a viewer has expired, which is more than a week later.
 */
async function tidyLater(): Promise<void> {
  await checkSlots();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (signedUrlSeconds.max + 8 * 3600) * 1000 });
  await sweep();
  vi.useRealTimers();
}

/** All combinations are several hundred; a sample runs by default. */
const every = Number(process.env.EVERY ?? 151);
const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'file', format: 'mp4' },
  ],
};

test('a pipeline that is repeated after each failed call ends like one without faults', async () => {
  await expectSameWhateverFails(
    stores,
    {
      async arrange() {
        const { video } = await storeEncodedVideo((await createPerson()).user, web);
        const again = { status: 'pending', executionArn: null, planNumber: 2, lastPlanNumber: 2, executionCount: 2 };
        await write({ update: keys.video(video.ulid), set: again });
        return video.ulid;
      },
      act: (ulid) => runPipeline(ulid, 2),
      async look(ulid) {
        await tidyLater();
        const { video, outputs, streams } = (await findWholeVideo(ulid))!;
        const list = new ListObjectsV2Command({ Bucket: process.env.BUCKET_NAME!, Prefix: videoPrefix(ulid) });
        return {
          video: { status: video.status, planNumber: video.planNumber },
          outputs: outputs.map(({ name, status, planNumber, bytes }) => ({ name, status, planNumber, bytes })),
          streams: streams.map(({ track, status, planNumber, bytes }) => ({ track, status, planNumber, bytes })),
          objects: (await new S3Client({}).send(list)).KeyCount,
          place: (await findAdmitted())[ulid],
          marks: (await queryItems(keys.working(ulid).pk, keys.working(ulid).sk)).length,
        };
      },
    },
    every,
  );
});

test('a plan of a video that is processed again, repeated after each failed call, packages all that had failed', async () => {
  const names: Record<string, string[]> = {};
  await expectSameWhateverFails(
    stores,
    {
      async arrange() {
        const unpackaged = ['hls', 'file'];
        const { video } = await storeEncodedVideo((await createPerson()).user, web, { unpackaged });
        const reprocessing = { replan: false, probe: undefined, quota: null, properties: {} };
        await reprocessVideo(video, reprocessing, { ulid: video.ownerUlid } as User);
        const event = { videoUlid: video.ulid, planNumber: 1 };
        await createVideo({ event, executionArn: executionArn(video.ulid, 1) });
        return video.ulid;
      },
      async act(ulid) {
        const planned = (await plan({ videoUlid: ulid, planNumber: 1 })).outputs;
        const { outputs } = (await findWholeVideo(ulid))!;
        names[ulid] = planned.map(({ outputUlid }) => outputs.find((one) => one.ulid === outputUlid)!.name);
      },
      async look(ulid) {
        const { video, outputs, streams } = (await findWholeVideo(ulid))!;
        return {
          status: video.status,
          planned: names[ulid],
          outputs: outputs.map(({ name, status }) => [name, status]),
          streams: streams.map(({ track, status, errorLog }) => [track, status, errorLog]),
        };
      },
    },
    Math.ceil(every / 10),
  );
});
