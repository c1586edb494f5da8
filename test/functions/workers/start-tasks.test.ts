import { ECSClient, ListTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { launchRounds } from '../../../functions/workers/launch-count.ts';
import { listTasks, startTasks } from '../../../functions/workers/start-tasks.ts';

const ecs = mockClient(ECSClient);
beforeEach(() => {
  ecs.reset();
  Object.assign(process.env, {
    STAGE: 'test',
    CLUSTER: 'c',
    TASK_DEFINITION: 't',
    TASK_DEFINITION_FAMILY: 'f',
    SUBNETS: 'a,b',
    SECURITY_GROUP: 'g',
    SPOT_TASK_SHARE: '0.8',
  });
});

const tasks = (count: number) => Array.from({ length: count }, (_, n) => ({ taskArn: `arn:aws:ecs:r:1:task/c/${n}` }));
const failures = (count: number, reason: string) => Array.from({ length: count }, () => ({ reason }));
const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
const noCapacity = 'Capacity is unavailable at this time. Please try again later or in a different availability zone';
const noQuota = "You've reached the limit on the number of vCPUs you can run concurrently";
/** What the choice between Spot and on demand draws. */
const draw = (value: number) => vi.spyOn(Math, 'random').mockReturnValue(value);
const launches = () =>
  ecs.commandCalls(RunTaskCommand).map(({ args }) => {
    const { count, capacityProviderStrategy = [] } = args[0].input;
    return [count, ...capacityProviderStrategy.map(({ capacityProvider }) => capacityProvider)];
  });

test('tasks are started ten per call on Spot and on demand', async () => {
  draw(0.79);
  ecs.on(RunTaskCommand).callsFake(({ count }) => ({ tasks: tasks(count) }));
  expect((await startTasks(12)).taskIds).toHaveLength(12);
  expect(launches()).toEqual([
    [10, 'FARGATE_SPOT', 'FARGATE'],
    [2, 'FARGATE_SPOT'],
  ]);
});

test('the first call is sent alone, since it shows whether there is capacity, and five at a time after it', async () => {
  expect(launchRounds(100)).toEqual([[10], [10, 10, 10, 10, 10], [10, 10, 10, 10]]);
  expect([launchRounds(0), launchRounds(3), launchRounds(12)]).toEqual([[], [[3]], [[10], [2]]]);
  let [atOnce, most] = [0, 0];
  ecs.on(RunTaskCommand).callsFake(async ({ count }) => {
    most = Math.max(most, ++atOnce);
    await new Promise(setImmediate);
    atOnce--;
    return { tasks: tasks(count) };
  });
  expect((await startTasks(100)).taskIds).toHaveLength(100);
  expect([launches().length, most]).toEqual([10, 5]);
});

test('a launch ends with the round in which tasks are missing', async () => {
  ecs.on(RunTaskCommand).callsFake(({ count }) => ({ tasks: tasks(launches().length === 3 ? 4 : count) }));
  process.env.SPOT_TASK_SHARE = '0';
  expect((await startTasks(100)).taskIds).toHaveLength(54);
  expect(launches()).toHaveLength(6);
});

test('tasks without Spot capacity are started on demand', async () => {
  ecs
    .on(RunTaskCommand)
    .resolvesOnce({ tasks: tasks(2), failures: failures(8, noCapacity) })
    .resolves({ tasks: tasks(8) });
  expect((await startTasks(10)).taskIds).toHaveLength(10);
  expect(launches()).toEqual([
    [10, 'FARGATE_SPOT', 'FARGATE'],
    [8, 'FARGATE'],
  ]);
});

test('the share of Spot also holds for tasks that are started one by one', async () => {
  ecs.on(RunTaskCommand).callsFake(({ count }) => ({ tasks: tasks(count) }));
  for (const value of [0, 0.79, 0.8, 0.99]) {
    draw(value);
    await startTasks(1);
  }
  expect(launches()).toEqual([
    [1, 'FARGATE_SPOT'],
    [1, 'FARGATE_SPOT'],
    [1, 'FARGATE'],
    [1, 'FARGATE'],
  ]);
});

test('tasks beyond the quota of Spot are started on demand, which has a separate quota', async () => {
  draw(0);
  ecs
    .on(RunTaskCommand)
    .resolvesOnce({ failures: failures(1, noQuota) })
    .resolves({ tasks: tasks(1) });
  expect((await startTasks(1)).taskIds).toHaveLength(1);
  expect(launches()).toEqual([
    [1, 'FARGATE_SPOT'],
    [1, 'FARGATE'],
  ]);
});

test('a task has the tags of its definition, by which the bill names the stage', async () => {
  ecs.on(RunTaskCommand).callsFake(({ count }) => ({ tasks: tasks(count) }));
  await startTasks(1);
  expect(ecs.commandCalls(RunTaskCommand)[0]!.args[0].input).toMatchObject({
    propagateTags: 'TASK_DEFINITION',
    enableECSManagedTags: true,
  });
});

test('a launch ends when there is no capacity on demand either', async () => {
  ecs.on(RunTaskCommand).resolves({ tasks: [], failures: failures(10, noCapacity) });
  expect((await startTasks(30)).taskIds).toHaveLength(0);
  expect(launches()).toHaveLength(2);
});

test('failures for other reasons are not tried on demand', async () => {
  ecs.on(RunTaskCommand).resolves({ tasks: [], failures: failures(1, 'MISSING') });
  draw(0);
  expect((await startTasks(1)).taskIds).toHaveLength(0);
  expect(launches()).toHaveLength(1);
});

test('a throttled launch starts nothing and does not throw', async () => {
  ecs.on(RunTaskCommand).rejects(throttled);
  expect((await startTasks(20)).taskIds).toHaveLength(0);
  expect(launches()).toHaveLength(1);
});

test('a throttled list of tasks gives no count and does not throw', async () => {
  ecs.on(ListTasksCommand).rejects(throttled);
  expect(await listTasks()).toBeUndefined();
});

test('after a lost answer it is not known how many tasks have started', async () => {
  ecs.on(RunTaskCommand).rejects(Object.assign(new Error('socket hang up'), { name: 'TimeoutError' }));
  expect(await startTasks(3)).toEqual({ taskIds: [], unknown: 3 });
  ecs.on(RunTaskCommand).rejects(throttled);
  expect(await startTasks(3)).toEqual({ taskIds: [], unknown: 0 });
});
