import { type DrainLimits, drain } from '../common/drain.ts';
import { checkReservation, dueReservations } from '../table/quotas/reservations.ts';

/** Releases what is held of quotas for uploads and runs that have ended. Returns how many. */
export async function reconcileReservations(limits: DrainLimits): Promise<number> {
  let released = 0;
  await drain(
    dueReservations(),
    async (item) => {
      if (await checkReservation(item)) released++;
    },
    limits,
  );
  return released;
}
