import { packetsInDecodeOrder } from './ffmpeg.ts';

type Buffer = { capBps: number; bufferBits: number };

/**
 * Lowest fullness of a decoder buffer during a file, as a share of its size. The buffer starts full, fills at `capBps`,
 * and each frame is removed at its decode time. Below 0 the player would stall.
 */
export async function leastFullness(file: string, { capBps, bufferBits }: Buffer): Promise<number> {
  let [bits, least] = [bufferBits, bufferBits];
  let before: number | undefined;
  for (const { dtsSeconds, bytes } of await packetsInDecodeOrder(file)) {
    bits = Math.min(bufferBits, bits + capBps * (before === undefined ? 0 : dtsSeconds - before)) - bytes * 8;
    before = dtsSeconds;
    least = Math.min(least, bits);
  }
  return least / bufferBits;
}
