import * as z from 'zod';
import { now, timestamp } from '../../shared/clock.ts';
import { getItem, getItems, write } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';
import { countLeases } from '../table/jobs/job-table.ts';
import { listNodes, type Node } from '../table/nodes/node-table.ts';

/** A node whose workers have called as lately is there to take jobs. Calls of a busy worker come every ten seconds, and one in a while is noted. */
const aliveMilliseconds = 60_000;

const isAlive = ({ type, status, lastSeenAt }: Node): boolean =>
  type === 'worker' && status === 'active' && lastSeenAt !== null && lastSeenAt > timestamp(now() - aliveMilliseconds);

/** Each call of a task's worker asks for the nodes; an instance of the function reads them no more often. */
const keptMilliseconds = 5_000;
let kept: { nodes: Node[]; atMilliseconds: number } | undefined;

async function liveNodes(): Promise<Node[]> {
  if (!kept || now() - kept.atMilliseconds >= keptMilliseconds || now() < kept.atMilliseconds) {
    kept = { nodes: await listNodes(), atMilliseconds: now() };
  }
  return kept.nodes.filter(isAlive);
}

/** Workers of live nodes that hold no job. */
export async function freeNodeSlots(): Promise<number> {
  const free = await Promise.all(
    (await liveNodes()).map(async ({ ulid, workers }) => Math.max(0, workers - (await countLeases(ulid)))),
  );
  return free.reduce((sum, slots) => sum + slots, 0);
}

const speedRecord = z.object({ speed: z.number() });

/** Seconds of estimated work that the workers of all live nodes do in a second. A node that has not finished a job yet counts as estimated. */
export async function nodeCapacity(): Promise<number> {
  const nodes = await liveNodes();
  const items = await getItems(nodes.map(({ ulid }) => keys.nodeSpeed(ulid)));
  const speeds = new Map(items.map((item) => [item.pk, speedRecord.parse(item).speed]));
  return nodes.reduce((sum, { ulid, workers }) => sum + workers * (speeds.get(keys.nodeSpeed(ulid).pk) ?? 1), 0);
}

/** A speed is noted no more often, by each instance of a function. */
const noteMilliseconds = 60_000;
const notedAt = new Map<string, number>();
const newsShare = 0.3;

/** Notes how fast a node did a job, for deciding on tasks beside it. */
export async function noteSpeed(node: string, estimateSeconds: number, tookSeconds: number): Promise<void> {
  if (tookSeconds <= 0 || now() - (notedAt.get(node) ?? 0) < noteMilliseconds) return;
  notedAt.set(node, now());
  const key = keys.nodeSpeed(node);
  const before = (await getItem(speedRecord, key))?.speed;
  const speed = estimateSeconds / tookSeconds;
  const mixed = before === undefined ? speed : before * (1 - newsShare) + speed * newsShare;
  await write({ put: { ...key, kind: 'speed', speed: mixed } });
}
