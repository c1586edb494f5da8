import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskDefinition } from '../template/read-task-definitions.ts';
import { type Container, type ContainerInput, killContainer, startContainer } from './container-process.ts';

/** What ECS answers about a task. */
export type KnownTask = {
  arn: string;
  definition: TaskDefinition;
  createdAtMs: number;
  state: {
    startedAtMs?: number;
    stoppedAtMs?: number;
    exitCode?: number;
    stopCode?: 'TaskFailedToStart' | 'UserInitiated' | 'SpotInterruption' | 'EssentialContainerExited';
  };
};

export type TaskInput = ContainerInput & {
  arn: string;
  /** The time until the containers start, for which the task is pending. */
  startDelayMs?: number;
  /** Called after the last container has ended, or could not be started. A failure is logged. */
  onStopped: (task: KnownTask) => void | Promise<void>;
};

export type StopOptions = { code?: 'UserInitiated' | 'SpotInterruption'; timeoutMs?: number };

/**
 * Runs the containers of a task as child processes. The task has stopped when all of them have ended. Without a start
 * delay the promise resolves when they are started.
 */
export async function startTask({ arn, startDelayMs = 0, onStopped, ...input }: TaskInput) {
  const { definition, folder } = input;
  const task: KnownTask = { arn, definition, createdAtMs: Date.now(), state: {} };
  const { state } = task;
  const stopping = new AbortController();
  let containers: Container[] = [];
  const terminate = () => containers.forEach(({ child }) => void child.kill('SIGTERM'));

  async function start(): Promise<void> {
    if (startDelayMs > 0) await sleep(startDelayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    if (stopping.signal.aborted) return;
    containers = await Promise.all(definition.containers.map((container) => startContainer(container, input)));
    state.startedAtMs = Date.now();
    if (stopping.signal.aborted) terminate();
  }

  const log = (text: string, error: unknown) =>
    input.onLogLine(definition.containers[0]!.name, `${text}: ${(error as Error).message}`);

  /** Never rejects: nothing waits for the end of a task that ends by itself. */
  async function end(): Promise<void> {
    await started.catch((error) => {
      state.stopCode ??= 'TaskFailedToStart';
      log('A task could not be started', error);
    });
    const [exitCode] = await Promise.all(containers.map((container) => container.exitCode));
    // A container ends with its first process. Here its other processes live on, and would write to the folder.
    containers.forEach(killContainer);
    await removeFolder(folder).catch((error) => log('The folder of a stopped task is left', error));
    Object.assign(state, { stoppedAtMs: Date.now(), ...(exitCode !== undefined && { exitCode }) });
    state.stopCode ??= 'EssentialContainerExited';
    try {
      await onStopped(task);
    } catch (error) {
      log('The end of a task could not be stored', error);
    }
  }

  const started = start();
  if (startDelayMs === 0) await started;
  const stopped = end();

  return {
    ...task,
    /** Sends `wake` over the IPC channel. Errors are ignored: they mean that the child is ending. */
    wake(): void {
      for (const { child } of containers) if (child.connected) child.send('wake', () => {});
    },
    /**
     * Sends SIGTERM, and SIGKILL to the process groups after the stop timeout of the containers, or another one.
     * Resolves when all processes have ended.
     */
    async stop({ code, timeoutMs = stopTimeoutMs(definition) }: StopOptions = {}): Promise<void> {
      if (code) state.stopCode ??= code;
      stopping.abort();
      terminate();
      const timer = setTimeout(() => containers.forEach(killContainer), timeoutMs);
      await stopped;
      clearTimeout(timer);
    },
  };
}

/** The kernel takes a moment to end killed processes, whose files can reappear during the removal. */
const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });

export type Task = Awaited<ReturnType<typeof startTask>>;

const stopTimeoutMs = ({ containers }: TaskDefinition): number =>
  1000 * Math.max(...containers.map(({ stopTimeoutSeconds }) => stopTimeoutSeconds));
