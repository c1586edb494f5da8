import type { WaitingVideo } from '../table/admission/waiting-line.ts';

/**
 * Chooses which waiting videos start on `free` slots: each time the first one of the owner with the fewest running
 * videos, and among such owners the one that has waited longest. `waiting` is in order of creation.
 */
export function nextWaiting(
  waiting: readonly WaitingVideo[],
  ownersOfRunning: readonly string[],
  free: number,
): WaitingVideo[] {
  const running = new Map<string, number>();
  for (const owner of ownersOfRunning) running.set(owner, (running.get(owner) ?? 0) + 1);
  const left = [...waiting];
  const chosen: WaitingVideo[] = [];
  while (chosen.length < free && left.length > 0) {
    let best = 0;
    for (const [position, { ownerUlid }] of left.entries()) {
      if ((running.get(ownerUlid) ?? 0) < (running.get(left[best]!.ownerUlid) ?? 0)) best = position;
    }
    const [next] = left.splice(best, 1);
    chosen.push(next!);
    running.set(next!.ownerUlid, (running.get(next!.ownerUlid) ?? 0) + 1);
  }
  return chosen;
}
