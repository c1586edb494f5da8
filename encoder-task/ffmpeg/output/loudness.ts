/** Measurement of loudnorm's first pass, as printed. */
export type Loudness = Record<'input_i' | 'input_tp' | 'input_lra' | 'input_thresh' | 'target_offset', string>;

/** EBU R128 counts less as silence, for which the filter ebur128 prints this value. */
const silenceLufs = -70;

/** Integrated loudness in LUFS from the summary of the filter ebur128; undefined for silence. */
export function readFinishedLoudness(stderr: string): number | undefined {
  const lufs = Number(/Integrated loudness:\s+I:\s+(-?[\d.]+) LUFS/.exec(stderr)?.[1]);
  return lufs > silenceLufs ? lufs : undefined;
}

const keys = ['input_i', 'input_tp', 'input_lra', 'input_thresh', 'target_offset'] as const;

/**
 * The JSON output of loudnorm's first pass. Null when a value is not finite, as for silence (-inf) and for sound that
 * is too short to measure. In one pass, loudnorm of ffmpeg 7 turns silence into samples that are not numbers.
 */
export function readLoudness(stderr: string): Loudness | null {
  const json = /\{[^{}]*"input_i"[^{}]*\}/.exec(stderr)?.[0];
  if (!json) return null;
  const found = JSON.parse(json) as Partial<Loudness>;
  if (keys.some((key) => !Number.isFinite(Number(found[key])))) return null;
  return Object.fromEntries(keys.map((key) => [key, String(Number(found[key]))])) as Loudness;
}
