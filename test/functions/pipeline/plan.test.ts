import { ECSClient, ListTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { handler as createVideo } from '../../../functions/pipeline/create-video.lambda.ts';
import { handler as plan } from '../../../functions/pipeline/plan.lambda.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import type { User } from '../../../functions/table/records.ts';
import { reprocessVideo } from '../../../functions/table/videos/reprocess-video.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const ecs = mockClient(ECSClient);
const started = (): number =>
  ecs.commandCalls(RunTaskCommand).reduce((sum, { args }) => sum + (args[0].input.count ?? 0), 0);

beforeEach(() => {
  ecs.reset();
  ecs.on(ListTasksCommand).resolves({ taskArns: [] });
  ecs.on(RunTaskCommand).callsFake(({ count }: { count: number }) => ({
    tasks: Array.from({ length: count }, (_, index) => ({ taskArn: `arn:aws:ecs:r:1:task/c/${index}` })),
  }));
  Object.assign(process.env, {
    STAGE: 'test',
    CLUSTER: 'c',
    TASK_DEFINITION: 't',
    TASK_DEFINITION_FAMILY: 'f',
    SUBNETS: 'a,b',
    SECURITY_GROUP: 'g',
    SPOT_TASK_SHARE: '1',
    MAX_TASKS: '12',
    SECONDS_PER_TASK: '1',
  });
});

/** One chunk and one audio track. */
const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
};

/** The tasks that a plan starts when the video is processed again under it. */
async function startedAgain(unencoded: string[]): Promise<number> {
  const { video } = await storeEncodedVideo((await createPerson()).user, web, { unencoded });
  const again = { replan: false, probe: undefined, quota: null, properties: {} };
  expect(await reprocessVideo(video, again, { ulid: video.ownerUlid } as User)).toBe(true);
  const event = { videoUlid: video.ulid, planNumber: 1 };
  await createVideo({ event, executionArn: 'arn:test:execution:again' });
  await write({ delete: keys.launches() });
  ecs.resetHistory();
  await plan(event);
  return started();
}

test('no tasks are started for the finished jobs of a video that is processed again', async () => {
  expect(await startedAgain([])).toBe(0);
});

test('tasks are started for its failed jobs, at most one for each', async () => {
  expect(await startedAgain(['stereo'])).toBe(1);
});
