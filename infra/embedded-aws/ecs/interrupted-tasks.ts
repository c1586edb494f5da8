import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What RunTask says about each of its tasks. */
export type TaskOrder = {
  cluster: string;
  taskDefinition: string;
  containerOverrides: { name: string; environment?: { name: string; value: string }[] }[];
};

const orderFile = 'order.json';

/** Keeps what a task was started with in its folder, which is there for as long as the task runs. */
export async function keepOrder(taskFolder: string, order: TaskOrder): Promise<void> {
  await mkdir(taskFolder, { recursive: true });
  await writeFile(join(taskFolder, orderFile), JSON.stringify(order));
}

/**
 * The orders of the tasks that were not stopped but killed together with the embedded cloud, by place. Their folders are removed: what a task had
 * half done is of no use to the next.
 */
export async function takeInterrupted(folder: string): Promise<Map<number, TaskOrder>> {
  const orders = new Map<number, TaskOrder>();
  for (const place of await readdir(folder).catch(() => [])) {
    const text = await readFile(join(folder, place, orderFile), 'utf8').catch(() => undefined);
    // Killed while it was written: the task had not started.
    if (text?.endsWith('}')) orders.set(Number(place), JSON.parse(text));
  }
  await rm(folder, { recursive: true, force: true });
  return orders;
}
