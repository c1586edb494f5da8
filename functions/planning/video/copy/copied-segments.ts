/** Segments of a copied rung last between these shares of the requested length. */
const shortestShare = 0.5;
const longestShare = 1.5;

type Choice = {
  frameCount: number;
  /** frames before which all others are decoded and presented, ascending; the first one is 0 */
  starts: number[];
  /** of an encoded rung */
  segmentFrames: number;
  /** segments are whole GOPs of the rungs that are encoded */
  gopFrames: number;
};

/**
 * The frames in each segment, so that every segment of the source starts at a key frame: as many as are asked for, or
 * else the nearest number that is possible, the smaller of two. Undefined when there is none near.
 */
export function copiedSegmentFrames({ frameCount, starts, segmentFrames, gopFrames }: Choice): number | undefined {
  const known = new Set(starts);
  const isPossible = (frames: number): boolean => {
    for (let frame = 0; frame < frameCount; frame += frames) if (!known.has(frame)) return false;
    return true;
  };
  const least = Math.max(1, Math.ceil((shortestShare * segmentFrames) / gopFrames));
  const most = Math.floor((longestShare * segmentFrames) / gopFrames);
  return Array.from({ length: Math.max(0, most - least + 1) }, (_, n) => (least + n) * gopFrames)
    .sort((a, b) => Math.abs(a - segmentFrames) - Math.abs(b - segmentFrames) || a - b)
    .find(isPossible);
}
