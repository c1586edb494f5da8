/** The level that an RFC 6381 codec string of a video track states, as templates write it: `3.1`. Undefined when there is none. */
export function codecLevel(codecs: string): string | undefined {
  const [family = '', ...parts] = codecs.split('.');
  const level = levelReaders[family]?.(parts);
  return level !== undefined && level > 0 ? level.toFixed(1) : undefined;
}

const levelReaders: Readonly<Record<string, (parts: string[]) => number>> = {
  // profile, constraints and level_idc, a byte each
  avc1: ([config = '']) => Number.parseInt(config.slice(4, 6), 16) / 10,
  // general_level_idc behind the letter of the tier
  hvc1: (parts) => Number(parts.find((part) => /^[LH]\d+$/.test(part))?.slice(1)) / 30,
  // seq_level_idx and the letter of the tier
  av01: ([, level = '']) => av1Level(Number.parseInt(level, 10)),
  vp09: ([, level = '']) => Number(level) / 10,
};

/** AV1 specification, annex A.3: four minor levels for each major one, from 2.0 on. */
const av1Level = (index: number): number => 2 + Math.floor(index / 4) + (index % 4) / 10;
