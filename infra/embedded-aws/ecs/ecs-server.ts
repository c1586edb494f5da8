import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ControlService } from '../control/control-service.ts';
import { answerJson, parseJsonObject, Refused } from '../control/json-protocol.ts';
import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import type { TaskDefinition } from '../template/read-task-definitions.ts';
import { keepOrder, type TaskOrder, takeInterrupted } from './interrupted-tasks.ts';
import { readRunTask, requireDeclared } from './run-task-input.ts';
import { startTask, type Task } from './task-process.ts';

/** Tasks that have stopped are listed on, as ECS does for about an hour. */
const keptStoppedTasks = 100;

export type EcsOptions = {
  taskDefinitions: TaskDefinition[];
  /** The folder that the containers' entry files are in. */
  entryFolder: string;
  /** Holds a folder for each task that runs. */
  folder: string;
  region: string;
  accountId: string;
  /** Tasks that may run at a time. */
  largestCount: number;
  /** The value of a parameter, decrypted; undefined when there is none. */
  parameter: (name: string) => string | undefined;
  /** Variables that every container has, by the place it runs in: places are counted from 0 and used again when their task has stopped. */
  placeEnvironment: (place: number) => Record<string, string>;
  log: (containerName: string, line: string) => void;
};

type Environments = Record<string, Record<string, string>>;
export const ecsTarget = 'AmazonEC2ContainerServiceV20141113';
const largestBodyBytes = 256 * 1024;

type Input = Record<string, unknown>;

/**
 * The embedded ECS: tasks as child processes, at most `largestCount` at a time; those beyond fail as they do where capacity is short. Tasks that were
 * killed together with it are started again, each in its place.
 */
export async function openEcs(options: EcsOptions) {
  const { taskDefinitions, entryFolder, folder, region, accountId, largestCount, parameter, placeEnvironment, log } =
    options;
  const tasks = new Map<string, Task>();
  const freePlaces = Array.from({ length: largestCount }, (_, place) => place);
  let closed = false;

  const running = () => [...tasks.values()].filter(({ state }) => state.stoppedAtMs === undefined);

  const clusterArn = (name: string): string => `arn:aws:ecs:${region}:${accountId}:cluster/${name}`;

  function definitionOf({ taskDefinition }: TaskOrder): TaskDefinition {
    const definition = taskDefinitions.find(({ arn }) => isDefinition(arn, taskDefinition));
    if (!definition) throw new Refused('ClientException', 'TaskDefinition not found.');
    return definition;
  }

  /** What is added to the definition's environment, by container: secrets, and what the order overrides. @throws Refused */
  function environmentsOf(order: TaskOrder): Environments {
    const definition = definitionOf(order);
    requireDeclared(order, definition);
    return Object.fromEntries(
      definition.containers.map(({ name, secrets }) => {
        const override = order.containerOverrides.find((one) => one.name === name)?.environment ?? [];
        return [
          name,
          {
            ...Object.fromEntries(Object.entries(secrets).map(([variable, path]) => [variable, secret(path)])),
            ...Object.fromEntries(override.map((variable) => [variable.name, variable.value])),
          },
        ];
      }),
    );
  }

  function secret(parameterName: string): string {
    const value = parameter(parameterName);
    if (value === undefined) throw new Refused('ClientException', `The parameter ${parameterName} does not exist.`);
    return value;
  }

  /** Undefined for an order that the template, which may have changed since, does not know. */
  function environmentsOfInterrupted(order: TaskOrder): Environments | undefined {
    try {
      return environmentsOf(order);
    } catch (error) {
      if (error instanceof Refused) return undefined;
      throw error;
    }
  }

  async function runTask(input: Input, caller: Principal) {
    const { order: given, count } = readRunTask(input);
    const order = { ...given, cluster: clusterName(given.cluster) };
    const definition = definitionOf(order);
    authorize(caller, 'ecs:RunTask', definition.arn, { 'ecs:cluster': clusterArn(order.cluster) });
    for (const role of definition.roleArns) {
      authorize(caller, 'iam:PassRole', role, { 'iam:passedtoservice': 'ecs-tasks.amazonaws.com' });
    }
    const environments = environmentsOf(order);
    const places = freePlaces.splice(0, count);
    const started = await Promise.all(places.map((place) => start(place, order, environments)));
    const arn = clusterArn(order.cluster);
    const failure = { arn, reason: 'RESOURCE:CPU', detail: `This machine runs ${largestCount} tasks at a time.` };
    return { tasks: started.map(describe), failures: Array.from({ length: count - places.length }, () => failure) };
  }

  async function start(place: number, order: TaskOrder, environments: Environments): Promise<Task> {
    const arn = `arn:aws:ecs:${region}:${accountId}:task/${order.cluster}/${randomUUID().replaceAll('-', '')}`;
    const giveBack = () => {
      if (closed) return;
      freePlaces.push(place);
      freePlaces.sort((a, b) => a - b);
    };
    const taskFolder = join(folder, String(place));
    try {
      await keepOrder(taskFolder, order);
      const task = await startTask({
        arn,
        definition: definitionOf(order),
        entryFolder,
        folder: taskFolder,
        environments,
        placeEnvironment: placeEnvironment(place),
        onLogLine: log,
        onStopped: () => {
          giveBack();
          forgetOldest(tasks);
        },
      });
      tasks.set(arn, task);
      return task;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  function listTasks(input: Input, caller: Principal) {
    const wanted = input.desiredStatus ?? 'RUNNING';
    const cluster = clusterName(input.cluster);
    authorize(caller, 'ecs:ListTasks', '*', { 'ecs:cluster': clusterArn(cluster) });
    const listed = [...tasks.values()].filter(
      (task) =>
        task.arn.includes(`:task/${cluster}/`) &&
        status(task) === wanted &&
        (input.family === undefined || familyOf(task.definition.arn) === input.family),
    );
    return { taskArns: listed.map(({ arn }) => arn) };
  }

  function describeTasks(input: Input, caller: Principal) {
    const arns = [input.tasks ?? []].flat().map(String);
    for (const arn of arns) authorize(caller, 'ecs:DescribeTasks', arn);
    return {
      tasks: arns.flatMap((arn) => (tasks.has(arn) ? describe(tasks.get(arn)!) : [])),
      failures: arns.filter((arn) => !tasks.has(arn)).map((arn) => ({ arn, reason: 'MISSING' })),
    };
  }

  async function stopTask(input: Input, caller: Principal) {
    authorize(caller, 'ecs:StopTask', String(input.task));
    const task = tasks.get(String(input.task));
    if (!task) throw new Refused('InvalidParameterException', 'The referenced task was not found.');
    void task.stop();
    return { task: { ...describe(task), desiredStatus: 'STOPPED' } };
  }

  const operations: Record<string, (input: Input, caller: Principal) => object | Promise<object>> = {
    RunTask: runTask,
    ListTasks: listTasks,
    DescribeTasks: describeTasks,
    StopTask: stopTask,
  };

  for (const [place, order] of await takeInterrupted(folder)) {
    const index = freePlaces.indexOf(place);
    const environments = index < 0 ? undefined : environmentsOfInterrupted(order);
    if (!environments) continue;
    freePlaces.splice(index, 1);
    await start(place, order, environments);
  }

  const service: ControlService = {
    signingName: 'ecs',
    protocol: 'json-1.1',
    largestBodyBytes,
    handle: (request, response, body, caller) =>
      answerJson(response, 'application/x-amz-json-1.1', async () => {
        const [, name = ''] = String(request.headers['x-amz-target']).split('.');
        const operation = Object.hasOwn(operations, name) && operations[name];
        if (!operation) throw new Refused('UnknownOperationException', `${name} is not an operation here`);
        return operation(parseJsonObject(body), caller);
      }),
  };

  return {
    service,

    /** Has every task that waits for work look for it. */
    wakeTasks(): void {
      for (const task of running()) task.wake();
    },

    /** Stops every task; resolves when their processes are gone. */
    async close(): Promise<void> {
      closed = true;
      freePlaces.length = 0;
      await Promise.all(running().map((task) => task.stop()));
    },
  };
}

const status = ({ state }: Task) => (state.stoppedAtMs === undefined ? 'RUNNING' : 'STOPPED');

const describe = (task: Task) => ({
  taskArn: task.arn,
  clusterArn: task.arn.replace(/:task\/(.+)\/[^/]+$/, ':cluster/$1'),
  taskDefinitionArn: task.definition.arn,
  lastStatus: status(task),
  desiredStatus: status(task),
  createdAt: task.startedAtMs / 1000,
  startedAt: task.startedAtMs / 1000,
  ...(task.state.stoppedAtMs !== undefined && {
    stoppedAt: task.state.stoppedAtMs / 1000,
    stopCode: 'EssentialContainerExited',
  }),
  containers: task.definition.containers.map(({ name }) => ({
    name,
    lastStatus: status(task),
    ...(task.state.exitCode !== undefined && { exitCode: task.state.exitCode }),
  })),
});

const clusterName = (nameOrArn: unknown): string =>
  String(nameOrArn ?? 'default')
    .split('/')
    .at(-1)!;

const familyOf = (definitionArn: string): string => definitionArn.split('/')[1]!.split(':')[0]!;

/** A task definition is named by its ARN, its family and revision, or its family. */
const isDefinition = (arn: string, name: string): boolean =>
  arn === name || arn.endsWith(`/${name}`) || familyOf(arn) === name;

function forgetOldest(tasks: Map<string, Task>): void {
  const stopped = [...tasks.values()].filter((task) => status(task) === 'STOPPED');
  for (const { arn } of stopped.slice(0, -keptStoppedTasks)) tasks.delete(arn);
}
