/**
 * Whether frames of these sizes pass a decoder buffer of `bufferBits` that is filled at `bitsPerSecond`: in every span
 * of time they have at most the bits that arrive in it and those of a full buffer.
 */
export function fitsBuffer(
  frameBytes: number[],
  framesPerSecond: number,
  { bitsPerSecond, bufferBits }: { bitsPerSecond: number; bufferBits: number },
): boolean {
  const arriving = bitsPerSecond / framesPerSecond;
  let used = 0;
  for (const bytes of frameBytes) {
    used += bytes * 8;
    if (used > bufferBits) return false;
    used = Math.max(0, used - arriving);
  }
  return true;
}
