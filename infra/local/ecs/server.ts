import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { answerJson, parseJsonObject, Refused, requireSignature } from '../dynamodb/json-protocol.ts';
import type { TaskDefinition } from '../resources.ts';
import { keepOrder, type TaskOrder, takeInterrupted } from './interrupted-tasks.ts';
import { startTask, type Task } from './task.ts';

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

  function definitionOf({ taskDefinition }: TaskOrder): TaskDefinition {
    const definition = taskDefinitions.find(({ arn }) => isDefinition(arn, taskDefinition));
    if (!definition) throw new Refused('ClientException', 'TaskDefinition not found.');
    return definition;
  }

  /** What is added to the definition's environment, by container: secrets, and what the order overrides. */
  function environmentsOf(order: TaskOrder): Environments {
    return Object.fromEntries(
      definitionOf(order).containers.map(({ name, secrets }) => {
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

  async function runTask(input: Input) {
    const { containerOverrides = [] } = (input.overrides ?? {}) as Partial<TaskOrder>;
    const cluster = clusterName(input.cluster);
    const order = { cluster, taskDefinition: String(input.taskDefinition), containerOverrides };
    const environments = environmentsOf(order);
    const asked = Number(input.count ?? 1);
    const places = freePlaces.splice(0, asked);
    const started = await Promise.all(places.map((place) => start(place, order, environments)));
    const arn = `arn:aws:ecs:${region}:${accountId}:cluster/${cluster}`;
    const failure = { arn, reason: 'RESOURCE:CPU', detail: `This machine runs ${largestCount} tasks at a time.` };
    return { tasks: started.map(describe), failures: Array.from({ length: asked - places.length }, () => failure) };
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

  function listTasks(input: Input) {
    const wanted = input.desiredStatus ?? 'RUNNING';
    const cluster = clusterName(input.cluster);
    const listed = [...tasks.values()].filter(
      (task) =>
        task.arn.includes(`:task/${cluster}/`) &&
        status(task) === wanted &&
        (input.family === undefined || familyOf(task.definition.arn) === input.family),
    );
    return { taskArns: listed.map(({ arn }) => arn) };
  }

  function describeTasks(input: Input) {
    const arns = (input.tasks ?? []) as string[];
    return {
      tasks: arns.flatMap((arn) => (tasks.has(arn) ? describe(tasks.get(arn)!) : [])),
      failures: arns.filter((arn) => !tasks.has(arn)).map((arn) => ({ arn, reason: 'MISSING' })),
    };
  }

  async function stopTask(input: Input) {
    const task = tasks.get(String(input.task));
    if (!task) throw new Refused('InvalidParameterException', 'The referenced task was not found.');
    void task.stop();
    return { task: { ...describe(task), desiredStatus: 'STOPPED' } };
  }

  const operations: Record<string, (input: Input) => object | Promise<object>> = {
    RunTask: runTask,
    ListTasks: listTasks,
    DescribeTasks: describeTasks,
    StopTask: stopTask,
  };

  for (const [place, order] of await takeInterrupted(folder)) {
    const index = freePlaces.indexOf(place);
    if (index < 0 || !taskDefinitions.some(({ arn }) => isDefinition(arn, order.taskDefinition))) continue;
    freePlaces.splice(index, 1);
    await start(place, order, environmentsOf(order));
  }

  return {
    /** Answers a request of the wire protocol whose body has been read. */
    handle(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
      return answerJson(response, 'application/x-amz-json-1.1', async () => {
        requireSignature(request.headers);
        const [api, name = ''] = String(request.headers['x-amz-target']).split('.');
        const operation = api === ecsTarget && Object.hasOwn(operations, name) && operations[name];
        if (!operation) throw new Refused('UnknownOperationException', `${name} is not an operation here`);
        return operation(parseJsonObject(body));
      });
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
