import * as z from 'zod';
import { now } from '../../../shared/clock.ts';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const periodRecord = z.object({ nextAtMilliseconds: z.number() });

/** When work is due again, as far as this instance knows. Saves a read for each call in between. */
const knownNextAt = createBoundedCache<number>(100);

/**
 * Whether this call has to do work that is done once in each period, however many instances there are. Work of a call
 * that dies is done in the next period.
 */
export async function claimPeriod(name: string, milliseconds: number): Promise<boolean> {
  if (now() < (knownNextAt.get(name) ?? 0)) return false;
  const known = await getItem(periodRecord, keys.period(name));
  const isDue = known === undefined || known.nextAtMilliseconds <= now();
  const nextAtMilliseconds = now() + milliseconds;
  knownNextAt.set(name, isDue ? nextAtMilliseconds : known.nextAtMilliseconds);
  if (!isDue) return false;
  return tryWrite({
    put: { ...keys.period(name), kind: 'period', nextAtMilliseconds },
    when: known ? { equals: { nextAtMilliseconds: known.nextAtMilliseconds } } : { exists: false },
  });
}

/** Lets the next call do the work: there may be more of it. */
export async function endPeriod(name: string): Promise<void> {
  knownNextAt.set(name, 0);
  await tryWrite({ update: keys.period(name), set: { nextAtMilliseconds: now() }, when: { exists: true } });
}
