import { packetsInDecodeOrder } from './ffmpeg.ts';

type Buffer = { capBps: number; bufferBits: number };

/**
 * The least that a decoder's buffer holds while it plays a file, as a share of its size: it starts full, takes in `capBps` all the time until it is full
 * again, and each frame is taken out at once at its decode time. Below 0 the player would have stopped.
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
