import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { edgeLogsPrefix } from '../../shared/object-keys.ts';
import { readObject } from '../aws/object-store.ts';
import { sumAccesses } from '../common/access-log.ts';
import { log } from '../common/log.ts';
import { countDeliveries } from '../table/statistics/delivery-table.ts';
import { convertEdgeLog } from './convert-edge-log.ts';

const input = z.object({ detail: z.object({ object: z.object({ key: z.string() }) }) });

/**
 * Invoked at least once for each access log that a proxy uploads: adds its bytes and sessions to the daily sums. A log
 * of the distribution is first converted to that of a node, whose upload invokes the function again.
 */
export async function handler(raw: unknown): Promise<void> {
  const { key } = input.parse(raw).detail.object;
  if (key.startsWith(edgeLogsPrefix)) await convertEdgeLog(key);
  else await count(key);
}

async function count(key: string): Promise<void> {
  const lines = createInterface({ input: Readable.from([await readObject(key)]).pipe(createGunzip()) });
  const deliveries = await sumAccesses(lines, now());
  const counted = await countDeliveries(key, deliveries);
  const { sessions, unreadable } = deliveries;
  log.info('access log', { key, counted, sessions: sessions.size, unreadable });
}
