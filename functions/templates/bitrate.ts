/** Bit/s of `2500k`, `2.5M` or `800` in a template. Prefixes are decimal, as in FFmpeg. */
export function parseBitrate(text: string): number {
  const unit = { k: 1_000, m: 1_000_000 }[text.slice(-1).toLowerCase()];
  return Math.round(unit ? Number(text.slice(0, -1)) * unit : Number(text));
}

/** Whole kilobits, as in all responses of the API: `2500k`. */
export const formatBitrate = (bitrateBps: number): string => `${Math.max(1, Math.round(bitrateBps / 1000))}k`;
