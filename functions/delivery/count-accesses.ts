import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { sumAccesses } from '../../shared/access-log.ts';
import { now } from '../../shared/clock.ts';
import { log } from '../../shared/log.ts';
import { countDeliveries } from '../../shared/table/deliveries.ts';
import { readObject } from '../store.ts';

const input = z.object({ detail: z.object({ object: z.object({ key: z.string() }) }) });

/** Called for each access log that a proxy has shipped, perhaps more than once: its bytes and sessions go into the days' sums. */
export async function handler(raw: unknown): Promise<void> {
  const { key } = input.parse(raw).detail.object;
  const lines = createInterface({ input: Readable.from([await readObject(key)]).pipe(createGunzip()) });
  const deliveries = await sumAccesses(lines, now());
  const counted = await countDeliveries(key, deliveries);
  const { sessions, unreadable } = deliveries;
  log.info('access log', { key, counted, sessions: sessions.size, unreadable });
}
