/** The number of a media segment, or the init segment of its track. */
export type TrackPart = number | 'init';

/**
 * Counts the segments from number `first` on that are stored in every track together with the init segments, without
 * a gap. Returns the count after another part is stored.
 */
export function createStoredCount(tracks: string[], first: number): (track: string, part: TrackPart) => number {
  const ahead = new Map(tracks.map((track) => [track, new Set<TrackPart>()]));
  let count = 0;
  return (track, part) => {
    ahead.get(track)?.add(part);
    const sets = [...ahead.values()];
    if (!sets.every((parts) => parts.has('init'))) return 0;
    while (sets.every((parts) => parts.has(first + count))) {
      for (const parts of sets) parts.delete(first + count);
      count++;
    }
    return count;
  };
}
