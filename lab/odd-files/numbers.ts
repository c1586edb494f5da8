import type { Random } from '../faults/random.ts';

/** Numbers that readers of 32-bit fields often mishandle. */
export const oddNumbers = [
  0, 1, 2, 7, 8, 255, 0xffff, 0x10000, 1_000_000, 0x0fff_ffff, 0x1000_0000, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000,
  0xffff_fffe, 0xffff_ffff,
];

/** One of these, or any other. */
export const oddNumber = (random: Random): number =>
  random.share() < 0.7 ? random.pick(oddNumbers) : Math.floor(random.share() * 2 ** 32);

/** Sets random bytes in [start, end) to random values. */
export function flip(bytes: Buffer, random: Random, count: number, start = 0, end = bytes.length): void {
  for (let n = 0; n < count; n++) bytes[random.between(start, Math.max(start, end - 1))] = random.between(0, 255);
}
