import { prices } from './prices.ts';

export type TaskSize = { cpuUnits: number; memoryMib: number; scratchGib: number };

/** Dollars per hour of a Fargate task with its public address. `spot` is the share of tasks on Spot, 0 to 1. */
export function taskHourDollars({ cpuUnits, memoryMib, scratchGib }: TaskSize, spot: number): number {
  const { fargate, publicAddressHour } = prices;
  const storage = Math.max(0, scratchGib - fargate.includedStorageGb) * fargate.storageGbHour;
  const onDemand = (cpuUnits / 1024) * fargate.vcpuHour + (memoryMib / 1024) * fargate.gbHour + storage;
  return onDemand * (1 - spot + spot * fargate.spotPriceRatio) + publicAddressHour;
}
