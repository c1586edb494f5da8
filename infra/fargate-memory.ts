/** Memory that Fargate offers for so much processor: from, to and in steps of, in MiB. */
const offers: Record<number, readonly [least: number, most: number, step: number]> = {
  1024: [2048, 8192, 1024],
  2048: [4096, 16_384, 1024],
  4096: [8192, 30_720, 1024],
  8192: [16_384, 61_440, 4096],
  16384: [32_768, 122_880, 8192],
};

/** Why a task cannot have this memory, in MiB; undefined when it can. CloudFormation would say so in the middle of a deployment. */
export function memoryProblem(cpuUnits: number, memoryMib: number): string | undefined {
  const offer = offers[cpuUnits];
  if (!offer) return undefined;
  const [least, most, step] = offer;
  if (memoryMib >= least && memoryMib <= most && (memoryMib - least) % step === 0) return undefined;
  return `Fargate offers ${least} to ${most} in steps of ${step} for ${cpuUnits} CPU units`;
}
