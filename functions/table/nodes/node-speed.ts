import * as z from 'zod';
import { getItem, getItems, write } from '../items/items.ts';
import { keys, ulidIn } from '../items/keys.ts';

/** Seconds of estimated work that one worker of a node does in a second. */
const speedRecord = z.object({ speed: z.number() });

/** The measured speeds of nodes by ULID. A node without a measurement is left out. */
export async function findNodeSpeeds(ulids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const items = await getItems(ulids.map(keys.nodeSpeed));
  return new Map(items.map((item) => [ulidIn(item), speedRecord.parse(item).speed]));
}

/** The share of a new measurement in a node's speed. */
const newShare = 0.3;

/** Mixes a new measurement into a node's speed. */
export async function recordNodeSpeed(ulid: string, measured: number): Promise<void> {
  const key = keys.nodeSpeed(ulid);
  const before = (await getItem(speedRecord, key))?.speed;
  const speed = before === undefined ? measured : before * (1 - newShare) + measured * newShare;
  await write({ put: { ...key, kind: 'speed', speed } });
}
