export type WaitingVideo = { videoUlid: string; ownerUlid: string };

/**
 * Which of the waiting videos, in order of their coming, start on `free` places: always one of the owner who has the fewest in work, the first that
 * came where owners have as many.
 */
export function nextWaiting(
  waiting: readonly WaitingVideo[],
  ownersInWork: readonly string[],
  free: number,
): WaitingVideo[] {
  const inWork = new Map<string, number>();
  for (const owner of ownersInWork) inWork.set(owner, (inWork.get(owner) ?? 0) + 1);
  const left = [...waiting];
  const chosen: WaitingVideo[] = [];
  while (chosen.length < free && left.length > 0) {
    let best = 0;
    for (const [position, { ownerUlid }] of left.entries()) {
      if ((inWork.get(ownerUlid) ?? 0) < (inWork.get(left[best]!.ownerUlid) ?? 0)) best = position;
    }
    const [next] = left.splice(best, 1);
    chosen.push(next!);
    inWork.set(next!.ownerUlid, (inWork.get(next!.ownerUlid) ?? 0) + 1);
  }
  return chosen;
}
