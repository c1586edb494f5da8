/** The memory sizes that Fargate offers, in MiB, by CPU units. */
const offers: Record<number, readonly [minimum: number, maximum: number, step: number]> = {
  1024: [2048, 8192, 1024],
  2048: [4096, 16_384, 1024],
  4096: [8192, 30_720, 1024],
  8192: [16_384, 61_440, 4096],
  16384: [32_768, 122_880, 8192],
};

/**
 * Why Fargate does not offer this memory size; undefined if it does. Otherwise the deployment would fail halfway.
 */
export function memoryProblem(cpuUnits: number, memoryMib: number): string | undefined {
  const offer = offers[cpuUnits];
  if (!offer) return undefined;
  const [minimum, maximum, step] = offer;
  if (memoryMib >= minimum && memoryMib <= maximum && (memoryMib - minimum) % step === 0) return undefined;
  return `Fargate offers ${minimum} to ${maximum} MiB in steps of ${step} for ${cpuUnits} CPU units`;
}
