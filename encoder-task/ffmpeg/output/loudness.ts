/** What `loudnorm` measured in its first pass, as it prints it. */
export type Loudness = Record<'input_i' | 'input_tp' | 'input_lra' | 'input_thresh' | 'target_offset', string>;

/** What EBU R128 counts as silence, and the filter ebur128 tells for it. */
const silenceLufs = -70;

/** The integrated loudness in LUFS of the summary that the filter ebur128 printed; undefined for silence. */
export function readFinishedLoudness(stderr: string): number | undefined {
  const lufs = Number(/Integrated loudness:\s+I:\s+(-?[\d.]+) LUFS/.exec(stderr)?.[1]);
  return lufs > silenceLufs ? lufs : undefined;
}

const keys = ['input_i', 'input_tp', 'input_lra', 'input_thresh', 'target_offset'] as const;

/**
 * The JSON object that loudnorm's first pass printed. Null when a value is not a finite number, as in silence, which measures -inf:
 * loudnorm then works in one pass.
 */
export function readLoudness(stderr: string): Loudness | null {
  const json = /\{[^{}]*"input_i"[^{}]*\}/.exec(stderr)?.[0];
  if (!json) return null;
  const found = JSON.parse(json) as Partial<Loudness>;
  if (keys.some((key) => !Number.isFinite(Number(found[key])))) return null;
  return Object.fromEntries(keys.map((key) => [key, String(Number(found[key]))])) as Loudness;
}
