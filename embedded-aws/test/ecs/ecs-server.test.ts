import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  DescribeTasksCommand,
  ECSClient,
  ListTasksCommand,
  RunTaskCommand,
  StopTaskCommand,
} from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AccountLimits, newAccountLimits } from '../../src/account/account-limits.ts';
import { type EcsChaos, isListedAsRunning } from '../../src/ecs/ecs-chaos.ts';
import { ecsTarget, openEcs } from '../../src/ecs/ecs-server.ts';
import { saveTaskRequest } from '../../src/ecs/interrupted-tasks.ts';
import { serveControl } from '../../src/testing/serve-control.ts';

const taskDefinition = 'arn:aws:ecs:local-1:000000000000:task-definition/encoder:1';
/** Prints its environment, starts a child process, and runs until SIGTERM. */
const entry = `
import { spawn } from 'node:child_process';
const child = spawn('sleep', ['600'], { stdio: 'ignore' });
process.on('SIGTERM', () => { console.log('SIGTERM'); if (process.env.OWN === 'stubborn') return; child.kill(); process.exit(143); });
console.log(JSON.stringify({ pid: process.pid, child: child.pid, TOKEN: process.env.TOKEN, OWN: process.env.OWN, SLOT: process.env.SLOT, TMPDIR: process.env.TMPDIR, HOST: process.env.SECRET_OF_THE_HOST }));
if (process.env.EXIT) process.exit(Number(process.env.EXIT));
process.on('message', (message) => console.log(JSON.stringify({ message })));
setInterval(() => {}, 1000);
`;

let folder: string;
let ecs: Awaited<ReturnType<typeof openEcs>>;
let served: Awaited<ReturnType<typeof serveControl>>;
let client: ECSClient;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ecs-'));
  await mkdir(join(folder, 'encoder-task'));
  await writeFile(join(folder, 'encoder-task/main.mjs'), entry);
  lines = [];
  ecs = await open();
  served = await serveControl({ region: 'local-1', targets: new Map([[ecsTarget, ecs.service]]) });
  client = new ECSClient(served.client);
});
afterEach(async () => {
  await ecs.close();
  client.destroy();
  await served.stop();
  await rm(folder, { recursive: true });
});

const open = (chaos?: EcsChaos, limits?: AccountLimits) =>
  openEcs({
    chaos,
    limits,
    taskDefinitions: [
      {
        arn: taskDefinition,
        vcpus: 4,
        entryFile: 'encoder-task/main.mjs',
        roleArns: [],
        containers: [
          {
            name: 'worker',
            stopTimeoutSeconds: 1,
            environment: { OWN: 'definition', TMPDIR: '/scratch', EXIT: '', NODE_OPTIONS: '' },
            secrets: { TOKEN: '/demo/token' },
            mounts: [{ path: '/scratch', volume: 'scratch' }],
          },
        ],
      },
    ],
    entryFolder: folder,
    folder: join(folder, 'tasks'),
    region: 'local-1',
    accountId: '000000000000',
    maxTasks: 2,
    slotEnvironment: (slot) => ({ SLOT: `slot-${slot}` }),
    parameter: (name) => (name === '/demo/token' ? 'secret' : undefined),
    log: (_, line) => lines.push(line),
  });
const run = (more: object = {}) =>
  client.send(new RunTaskCommand({ cluster: 'demo', taskDefinition, launchType: 'FARGATE', ...more }));
const firstLine = async () => {
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  return JSON.parse(lines[0]!);
};
const calm: EcsChaos = {
  listDelayMs: 0,
  startDelayMs: [0, 0],
  throttledShare: 0,
  noCapacityShare: 0,
  interruptedShare: 0,
  interruptedAfterMs: 0,
};
/** Serves another ECS with the same folder in place of the first. */
async function reopen(chaos?: EcsChaos, limits?: AccountLimits) {
  await ecs.close();
  await served.stop();
  client.destroy();
  ecs = await open(chaos, limits);
  served = await serveControl({ region: 'local-1', targets: new Map([[ecsTarget, ecs.service]]) });
  client = new ECSClient(served.client);
}
const list = async () => (await client.send(new ListTasksCommand({ cluster: 'demo' }))).taskArns ?? [];
const describeOne = async (taskArn: string) =>
  (await client.send(new DescribeTasksCommand({ cluster: 'demo', tasks: [taskArn] }))).tasks?.[0];
const stopOne = (task: string) => client.send(new StopTaskCommand({ cluster: 'demo', task }));
const stubborn = {
  overrides: { containerOverrides: [{ name: 'worker', environment: [{ name: 'OWN', value: 'stubborn' }] }] },
};
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a task has only the environment of its definition, its secrets, its overrides and a scratch folder', async () => {
  process.env.SECRET_OF_THE_HOST = 'x';
  const overrides = { containerOverrides: [{ name: 'worker', environment: [{ name: 'OWN', value: 'override' }] }] };
  const { tasks, failures } = await run({
    overrides,
    capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT' }],
  });
  expect([tasks?.length, tasks?.[0]?.lastStatus, failures]).toEqual([1, 'RUNNING', []]);
  const { TOKEN, OWN, SLOT, TMPDIR, HOST } = await firstLine();
  expect([TOKEN, OWN, SLOT, HOST]).toEqual(['secret', 'override', 'slot-0', undefined]);
  expect(TMPDIR).toMatch(new RegExp(`^${folder}/tasks/0/scratch$`));
  delete process.env.SECRET_OF_THE_HOST;
});

test('running tasks can be notified', async () => {
  await run({ count: 2 });
  await expect.poll(() => lines.length).toBe(2);
  ecs.wakeTasks();
  await expect
    .poll(() => lines.slice(2).map((line) => JSON.parse(line)))
    .toEqual([{ message: 'wake' }, { message: 'wake' }]);
});

test.each([
  ['a variable that is not declared', 'worker', 'OTHER', /worker.*OTHER/],
  ['a declared variable that Node reads', 'worker', 'NODE_OPTIONS', /NODE_OPTIONS/],
  ['PATH', 'worker', 'PATH', /PATH/],
  ['a secret', 'worker', 'TOKEN', /TOKEN/],
  ['a name from the prototype', 'worker', 'constructor', /constructor/],
  ['a missing container', 'other', 'OWN', /other is not a container/],
])('an override of %s is rejected, and no task starts', async (_, name, variable, message) => {
  const value = '--import=data:text/javascript,process.exit(3)';
  const overrides = { containerOverrides: [{ name, environment: [{ name: variable, value }] }] };
  await expect(run({ overrides })).rejects.toMatchObject({
    name: 'InvalidParameterException',
    message: expect.stringMatching(message),
  });
  expect((await client.send(new ListTasksCommand({ cluster: 'demo' }))).taskArns).toEqual([]);
});

test.each([
  ['another command', { containerOverrides: [{ name: 'worker', command: ['sh'] }] }],
  ['another role', { taskRoleArn: 'arn:aws:iam::000000000000:role/other' }],
  ['another size', { cpu: '1024' }],
])('overrides with %s are rejected by name', async (_, overrides) => {
  const unknown = Object.keys('containerOverrides' in overrides ? { command: '' } : overrides)[0]!;
  await expect(run({ overrides })).rejects.toMatchObject({
    name: 'InvalidParameterException',
    message: expect.stringContaining(unknown),
  });
});

test.each([0, 11, 1.5])('%d tasks in one call are rejected', async (count) => {
  await expect(run({ count })).rejects.toMatchObject({ name: 'InvalidParameterException' });
});

test('tasks over the limit fail because of missing capacity, until a task has ended', async () => {
  const first = await run({ count: 5 });
  expect([first.tasks?.length, first.failures?.map(({ reason }) => reason)]).toEqual([
    2,
    ['RESOURCE:CPU', 'RESOURCE:CPU', 'RESOURCE:CPU'],
  ]);
  const [task] = first.tasks!;
  await client.send(new StopTaskCommand({ cluster: 'demo', task: task!.taskArn! }));
  await expect
    .poll(async () => (await client.send(new ListTasksCommand({ cluster: 'demo' }))).taskArns?.length)
    .toBe(1);
  expect((await run()).tasks).toHaveLength(1);
});

test('a stopped task is listed with its exit code, and its scratch folder is removed', async () => {
  const environment = [{ name: 'EXIT', value: '7' }];
  const { tasks } = await run({ overrides: { containerOverrides: [{ name: 'worker', environment }] } });
  const taskArn = tasks![0]!.taskArn!;
  const described = () => client.send(new DescribeTasksCommand({ cluster: 'demo', tasks: [taskArn] }));
  await expect.poll(async () => (await described()).tasks?.[0]?.lastStatus).toBe('STOPPED');
  expect((await described()).tasks?.[0]?.containers?.[0]?.exitCode).toBe(7);
  const stopped = await client.send(
    new ListTasksCommand({ cluster: 'demo', desiredStatus: 'STOPPED', family: 'encoder' }),
  );
  expect(stopped.taskArns).toEqual([taskArn]);
  expect(await readdir(join(folder, 'tasks'))).toEqual([]);
});

test('the other processes of a container end with its first one', async () => {
  const environment = [{ name: 'EXIT', value: '7' }];
  await run({ overrides: { containerOverrides: [{ name: 'worker', environment }] } });
  const { child } = await firstLine();
  await expect.poll(() => isRunning(child)).toBe(false);
});

test('closing stops the tasks and their child processes', async () => {
  await run();
  const { pid, child } = await firstLine();
  await ecs.close();
  expect(isRunning(pid)).toBe(false);
  // The orphan is reaped after a delay.
  await expect.poll(() => isRunning(child)).toBe(false);
});

test('a task ends when its parent is killed, and is started again in its slot', async () => {
  const file = (name: string) => JSON.stringify(new URL(`../../src/ecs/${name}`, import.meta.url).href);
  await writeFile(
    join(folder, 'parent.ts'),
    `import { saveTaskRequest } from ${file('interrupted-tasks.ts')};
     import { startTask } from ${file('task-process.ts')};
     const folder = ${JSON.stringify(join(folder, 'tasks/1'))};
     const definition = { arn: 'd', entryFile: 'encoder-task/main.mjs', containers: [{ name: 'worker', stopTimeoutSeconds: 1, environment: {}, secrets: {}, mounts: [] }] };
     await saveTaskRequest(folder, { cluster: 'demo', taskDefinition: 'encoder', containerOverrides: [{ name: 'worker', environment: [{ name: 'OWN', value: 'override' }] }] });
     await startTask({ arn: 'a', definition, entryFolder: ${JSON.stringify(folder)}, folder, environments: {}, slotEnvironment: {}, onLogLine: (_, line) => console.log(line), onStopped() {} });`,
  );
  const parent = spawn(process.execPath, [join(folder, 'parent.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const { pid, child } = JSON.parse(line as string);
  expect([isRunning(pid), isRunning(child)]).toEqual([true, true]);
  parent.kill('SIGKILL');
  await expect.poll(() => [isRunning(pid), isRunning(child)]).toEqual([false, false]);

  const reopened = await open();
  const { OWN, SLOT, TOKEN } = await firstLine();
  expect([OWN, SLOT, TOKEN]).toEqual(['override', 'slot-1', 'secret']);
  await reopened.close();
  lines = [];
  await (await open()).close();
  expect(lines).toEqual([]);
});

test('an interrupted task is not started again when its override is no longer declared', async () => {
  const environment = [{ name: 'NODE_OPTIONS', value: '--import=data:text/javascript,console.log(1)' }];
  const request = { cluster: 'demo', taskDefinition: 'encoder', containerOverrides: [{ name: 'worker', environment }] };
  await saveTaskRequest(join(folder, 'tasks/1'), request);
  const reopened = await open();
  await reopened.close();
  expect(lines).toEqual([]);
});

test('an unknown task definition and an unknown task are rejected with the errors of AWS', async () => {
  await expect(run({ taskDefinition: 'other' })).rejects.toMatchObject({ name: 'ClientException' });
  await expect(client.send(new StopTaskCommand({ task: 'none' }))).rejects.toMatchObject({
    name: 'InvalidParameterException',
  });
  const { failures } = await client.send(new DescribeTasksCommand({ cluster: 'demo', tasks: ['none'] }));
  expect(failures).toEqual([{ arn: 'arn:aws:ecs:local-1:000000000000:task/demo/none', reason: 'MISSING' }]);
});

test('a repeated client token starts nothing, and is refused with other parameters', async () => {
  const first = await run({ clientToken: 'once' });
  expect((await run({ clientToken: 'once' })).tasks).toEqual(first.tasks);
  expect(await list()).toHaveLength(1);
  await expect(run({ clientToken: 'once', count: 2 })).rejects.toMatchObject({ name: 'ConflictException' });
});

test('a stopped task gets SIGTERM, and SIGKILL after the stop timeout of its container', async () => {
  const [task] = (await run(stubborn)).tasks!;
  await firstLine();
  await stopOne(task!.taskArn!);
  await expect.poll(() => lines).toContain('SIGTERM');
  expect((await describeOne(task!.taskArn!))?.lastStatus).toBe('RUNNING');
  await expect.poll(async () => (await describeOne(task!.taskArn!))?.lastStatus).toBe('STOPPED');
  expect((await describeOne(task!.taskArn!))?.containers?.[0]?.exitCode).toBe(137);
  expect((await describeOne(task!.taskArn!))?.stopCode).toBe('UserInitiated');
});

test('a stopped task is still described after a restart', async () => {
  const [task] = (await run()).tasks!;
  await firstLine();
  await reopen();
  expect((await describeOne(task!.taskArn!))?.lastStatus).toBe('STOPPED');
});

test('a task whose end cannot be stored has stopped, and the end of the next one is stored', async () => {
  const file = join(folder, 'tasks-stopped.json');
  const exit = { overrides: { containerOverrides: [{ name: 'worker', environment: [{ name: 'EXIT', value: '7' }] }] } };
  const runToEnd = async () => {
    const [task] = (await run(exit)).tasks!;
    await expect.poll(async () => (await describeOne(task!.taskArn!))?.lastStatus).toBe('STOPPED');
    return task!.taskArn!;
  };
  await mkdir(file);
  const first = await runToEnd();
  await expect.poll(() => lines.join()).toContain('The end of a task could not be stored');
  await rm(file, { recursive: true });
  const second = await runToEnd();
  await expect.poll(() => readdir(folder)).toContain('tasks-stopped.json');
  await reopen();
  expect((await describeOne(first))?.lastStatus).toBe('STOPPED');
  expect((await describeOne(second))?.lastStatus).toBe('STOPPED');
});

test('chaos: a task that cannot be started after its delay has stopped, and its slot is free', async () => {
  await reopen({ ...calm, startDelayMs: [1, 1] });
  await mkdir(join(folder, 'tasks/0'), { recursive: true });
  await writeFile(join(folder, 'tasks/0/scratch'), 'not a folder');
  const [task] = (await run()).tasks!;
  await expect.poll(async () => (await describeOne(task!.taskArn!))?.stopCode).toBe('TaskFailedToStart');
  expect(lines).toEqual([expect.stringContaining('A task could not be started: EEXIST')]);
  expect((await run({ count: 2 })).failures).toEqual([]);
});

test('chaos: RunTask is throttled, or finds no capacity', async () => {
  await reopen({ ...calm, throttledShare: 1 });
  client = new ECSClient({ ...served.client, maxAttempts: 1 });
  await expect(run()).rejects.toMatchObject({ name: 'ThrottlingException', message: 'Rate exceeded' });
  await reopen({ ...calm, noCapacityShare: 1 });
  const { tasks, failures } = await run({ count: 2 });
  expect([tasks, failures?.map(({ reason }) => reason?.slice(0, 23))]).toEqual([
    [],
    ['Capacity is unavailable', 'Capacity is unavailable'],
  ]);
});

test('chaos: a task is pending until its start delay is over, and can be stopped before', async () => {
  await reopen({ ...calm, startDelayMs: [600_000, 600_000] });
  const [task] = (await run()).tasks!;
  expect(task!.lastStatus).toBe('PENDING');
  expect(await list()).toEqual([task!.taskArn]);
  await stopOne(task!.taskArn!);
  await expect.poll(async () => (await describeOne(task!.taskArn!))?.lastStatus).toBe('STOPPED');
  expect(lines).toEqual([]);
  await reopen({ ...calm, startDelayMs: [1, 1] });
  await run();
  await firstLine();
});

test('chaos: ListTasks shows a new task late and a stopped one for longer', async () => {
  await reopen({ ...calm, listDelayMs: 600_000 });
  const [task] = (await run()).tasks!;
  expect(await list()).toEqual([]);
  expect((await describeOne(task!.taskArn!))?.lastStatus).toBe('RUNNING');
  const arn = 'arn/ffff';
  const definition = { arn: '', vcpus: 4, entryFile: '', roleArns: [], containers: [] };
  const chaos = { ...calm, listDelayMs: 1000 };
  const listed = (createdAgoMs: number, stoppedAgoMs?: number) => {
    const stopped = stoppedAgoMs === undefined ? {} : { stoppedAtMs: Date.now() - stoppedAgoMs };
    return isListedAsRunning({ arn, definition, createdAtMs: Date.now() - createdAgoMs, state: stopped }, chaos);
  };
  expect([listed(500), listed(1500), listed(9000, 500), listed(9000, 1500)]).toEqual([false, true, true, false]);
});

test('a new account runs one task of 4 vCPU on Spot and one on demand', async () => {
  await reopen(undefined, newAccountLimits);
  const onSpot = { capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }] };
  const { tasks, failures } = await run({ ...onSpot, count: 2 });
  expect(tasks).toHaveLength(1);
  const limit = /^You've reached the limit on the number of vCPUs you can run concurrently/;
  expect(failures!.map(({ reason }) => reason)).toEqual([expect.stringMatching(limit)]);
  expect((await run()).tasks).toHaveLength(1);
  expect((await run()).failures).toHaveLength(1);
  // A task that has stopped no longer counts.
  await client.send(new StopTaskCommand({ cluster: 'demo', task: tasks![0]!.taskArn! }));
  await expect.poll(async () => (await run(onSpot)).tasks!.length).toBe(1);
});

test('chaos: a Spot task is interrupted, a task on demand is not', async () => {
  await reopen({ ...calm, interruptedShare: 1, interruptedAfterMs: 1 });
  const onDemand = (await run({ capacityProviderStrategy: [{ capacityProvider: 'FARGATE', weight: 1 }] })).tasks![0];
  const spot = (await run({ capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }] })).tasks![0];
  await expect.poll(async () => (await describeOne(spot!.taskArn!))?.stopCode).toBe('SpotInterruption');
  expect((await describeOne(onDemand!.taskArn!))?.lastStatus).toBe('RUNNING');
});
