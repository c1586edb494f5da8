import { forEachSettled } from '../common/for-each-settled.ts';
import { listUserUlids } from '../table/accounts/user-table.ts';
import { removeStaleReservations } from '../table/quotas/reservations.ts';

/** Releases what is held of quotas for uploads and runs that have ended. Returns how many. */
export async function reconcileReservations(): Promise<number> {
  let released = 0;
  await forEachSettled(await listUserUlids(), async (userUlid) => {
    released += await removeStaleReservations(userUlid);
  });
  return released;
}
