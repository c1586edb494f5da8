/** Bit/s of a template's `2500k`, `2.5M` or `800`. Prefixes are decimal, as in FFmpeg. */
export function parseBitrate(text: string): number {
  const unit = { k: 1_000, m: 1_000_000 }[text.slice(-1).toLowerCase()];
  return Math.round(unit ? Number(text.slice(0, -1)) * unit : Number(text));
}

/** Whole kilobits, the form in which the API always answers: `2500k`. */
export const formatBitrate = (bitrateBps: number): string => `${Math.max(1, Math.round(bitrateBps / 1000))}k`;
