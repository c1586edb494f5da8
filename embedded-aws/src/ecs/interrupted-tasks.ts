import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The input of RunTask that every task of one call has in common. `cluster` is a name, not an ARN. */
export type TaskRequest = {
  cluster: string;
  taskDefinition: string;
  /** The capacity provider may take the task back. */
  isSpot?: boolean;
  containerOverrides: { name: string; environment?: { name: string; value: string }[] }[];
};

/** A task that was killed together with this process is started again under its ARN. */
export type InterruptedTask = { request: TaskRequest; arn?: string };

const requestFile = 'request.json';

/** Writes the request of a task into the task's folder, which exists as long as the task runs. */
export async function saveTaskRequest(taskFolder: string, request: TaskRequest, arn?: string): Promise<void> {
  await mkdir(taskFolder, { recursive: true });
  await writeFile(join(taskFolder, requestFile), JSON.stringify({ request, arn }));
}

/**
 * Returns the requests of tasks that were killed together with this process, by slot. Their folders are removed:
 * partial output of a task is of no use to the next one.
 */
export async function takeInterruptedRequests(folder: string): Promise<Map<number, InterruptedTask>> {
  const requests = new Map<number, InterruptedTask>();
  for (const slot of await readdir(folder).catch(() => [])) {
    const text = await readFile(join(folder, slot, requestFile), 'utf8').catch(() => undefined);
    // A file that is not complete was being written: its task had not started.
    if (text?.endsWith('}')) requests.set(Number(slot), JSON.parse(text));
  }
  // Child processes of the last tasks end a moment after their parents, and may still write.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return requests;
}
