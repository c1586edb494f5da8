import { DescribeTasksCommand, ECSClient, ListTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { findLaunches, reserveLaunch } from '../../../functions/table/jobs/launch-table.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { changedSums } from '../../../functions/table/nodes/node-capacity-table.ts';
import { launchWorkers } from '../../../functions/workers/launch-workers.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const ecs = mockClient(ECSClient);
const maxTasks = 12;
/** Work for many more tasks than the limit. */
const work = { jobs: 100, seconds: 100 * 180 };
let started: string[];
let listed: string[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  ecs.reset();
  [started, listed] = [[], []];
  ecs.on(ListTasksCommand).callsFake(() => ({ taskArns: listed }));
  ecs.on(DescribeTasksCommand).resolves({ tasks: [] });
  ecs.on(RunTaskCommand).callsFake(runTask);
  Object.assign(process.env, {
    STAGE: 'test',
    CLUSTER: 'c',
    TASK_DEFINITION: 't',
    TASK_DEFINITION_FAMILY: 'f',
    SUBNETS: 'a,b',
    SECURITY_GROUP: 'g',
    SPOT_TASK_SHARE: '1',
    MAX_TASKS: String(maxTasks),
    SECONDS_PER_TASK: '180',
  });
  await write({ delete: keys.launches() });
  await write({ delete: keys.nodeCapacity() });
});
afterEach(() => vi.useRealTimers());

function runTask({ count }: { count: number }) {
  const taskArns = Array.from({ length: count }, () => `arn:aws:ecs:r:1:task/c/${started.length + Math.random()}`);
  started.push(...taskArns);
  return { tasks: taskArns.map((taskArn) => ({ taskArn })) };
}

const launch = () => launchWorkers(work);
const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

test('launches at the same time start no more tasks than the limit, although none is listed yet', async () => {
  const counts = await Promise.all(Array.from({ length: 8 }, launch));
  expect(started).toHaveLength(maxTasks);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(maxTasks);
  expect(await launch()).toBe(0);
});

test('a task counts once when it is both listed and part of a recent launch', async () => {
  await launchWorkers({ jobs: 5, seconds: 5 * 180 });
  listed = started.slice(0, 3);
  expect(await launch()).toBe(maxTasks - 5);
});

test('a launch that died before RunTask blocks its tasks until its reservation expires', async () => {
  await reserveLaunch(await findLaunches(), 10);
  expect(await launch()).toBe(2);
  listed = [...started];
  passSeconds(181);
  expect(await launch()).toBe(10);
  expect(started).toHaveLength(maxTasks);
});

test('a launch that ECS refuses blocks nothing', async () => {
  ecs.on(RunTaskCommand).rejectsOnce(Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' }));
  expect(await launch()).toBe(0);
  expect((await findLaunches()).reserved).toBe(0);
  ecs.on(RunTaskCommand).callsFake(runTask);
  expect(await launch()).toBe(maxTasks);
});

test('tasks whose start is not known count as started until the reservation expires', async () => {
  ecs.on(RunTaskCommand).rejectsOnce(new Error('socket hang up'));
  await launch();
  expect((await findLaunches()).reserved).toBe(10);
  ecs.on(RunTaskCommand).callsFake(runTask);
  expect(await launch()).toBe(2);
});

test('a task that stopped before ECS listed it is replaced at once', async () => {
  await launch();
  const [taskArn] = started;
  ecs.on(DescribeTasksCommand).resolves({ tasks: [{ taskArn: taskArn!, lastStatus: 'STOPPED' }] });
  expect(await launch()).toBe(1);
});

test('a list that forgets a task for a while starts no other', async () => {
  await launch();
  listed = [...started];
  expect(await launch()).toBe(0);
  listed = [];
  expect(await launch()).toBe(0);
});

describe('beside small nodes that do everything in time', () => {
  const large = { jobs: 6, seconds: 6 * 180, memoryMib: 1900 };

  beforeEach(() =>
    write({
      update: keys.nodeCapacity(),
      set: { kind: 'node-capacity' },
      add: changedSums([{ workers: 100, capacity: 100, memoryMib: 900 }], []),
    }),
  );

  test('tasks are started for upcoming work that does not fit there, and for no other', async () => {
    expect(await launchWorkers({ ...large, memoryMib: 900 })).toBe(0);
    expect(await launchWorkers({ jobs: 6, seconds: 6 * 180 })).toBe(0);
    expect(await launchWorkers(large)).toBe(6);
  });

  test('none are started when larger nodes do it in time', async () => {
    await write({
      update: keys.nodeCapacity(),
      set: { kind: 'node-capacity' },
      add: changedSums([{ workers: 12, capacity: 12, memoryMib: 1999 }], []),
    });
    expect(await launchWorkers({ ...large, memoryMib: 2000 })).toBe(6);
    expect(await launchWorkers(large)).toBe(0);
  });

  test('queued jobs count by their own memory', async () => {
    await clearQueue();
    const { user } = await createPerson();
    for (const [index, memoryMib] of [900, 1900, 900, 1900].entries()) {
      const id = { videoUlid: newUlid(), planNumber: 1, kind: 'encode-video' as const, group: 0, index };
      const size = { taskToken: 't', estimateSeconds: 180, workUnits: 1, memoryMib };
      await queueJob(id, { ...size, ownerUlid: user.ulid, virtualTimeSeconds: 0 });
    }
    expect(await launchWorkers()).toBe(2);
    await clearQueue();
  });
});
