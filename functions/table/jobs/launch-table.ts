import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/**
 * Tasks that ECS may not list yet: a launch that has reserved them, or their ids once ECS has accepted them. `reserved`
 * counts the tasks whose ids are not known.
 */
const launch = z.object({ reserved: z.int(), taskIds: z.array(z.string()), expiresAt: z.number() });
const launchesRecord = z.object({ version: z.int(), launches: z.record(z.string(), launch) });

export type Launches = { version: number; reserved: number; taskIds: string[]; expired: string[] };

/**
 * After this time ECS lists every task of a launch. It covers the call of RunTask with its retries, the start of the
 * tasks and the delay of the list. Reservations of a function that died end by it.
 */
const launchSeconds = 180;

/** What recent launches have reserved and started. */
export async function findLaunches(): Promise<Launches> {
  const { version, launches } = (await getItem(launchesRecord, keys.launches())) ?? (await createRecord());
  const isOpen = ({ expiresAt }: z.infer<typeof launch>): boolean => expiresAt > nowSeconds();
  const open = Object.values(launches).filter(isOpen);
  return {
    version,
    reserved: open.reduce((sum, { reserved }) => sum + reserved, 0),
    taskIds: open.flatMap(({ taskIds }) => taskIds),
    expired: Object.keys(launches).filter((id) => !isOpen(launches[id]!)),
  };
}

async function createRecord(): Promise<z.infer<typeof launchesRecord>> {
  const empty = { version: 0, launches: {} };
  await tryWrite({ put: { ...keys.launches(), kind: 'launches', ...empty }, when: { exists: false } });
  return empty;
}

/** Reserves tasks. Undefined when another launch has reserved some since `found` was read. */
export async function reserveLaunch(found: Launches, tasks: number): Promise<string | undefined> {
  const id = newUlid();
  const isReserved = await tryWrite({
    update: keys.launches(),
    set: { [`launches.${id}`]: entry({ reserved: tasks, taskIds: [] }) },
    add: { version: 1 },
    remove: found.expired.map((one) => `launches.${one}`),
    when: { equals: { version: found.version } },
  });
  return isReserved ? id : undefined;
}

/** Replaces a reservation by what was started. `reserved` counts the tasks of which ECS has said nothing. */
export async function recordLaunch(id: string, result: { reserved: number; taskIds: string[] }): Promise<void> {
  const path = `launches.${id}`;
  const isOver = result.reserved + result.taskIds.length === 0;
  await write({ update: keys.launches(), ...(isOver ? { remove: [path] } : { set: { [path]: entry(result) } }) });
}

const entry = (tasks: { reserved: number; taskIds: string[] }): z.infer<typeof launch> => ({
  ...tasks,
  expiresAt: nowSeconds() + launchSeconds,
});
