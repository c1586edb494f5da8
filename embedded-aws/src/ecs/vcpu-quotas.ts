import { type AccountLimits, usualLimits } from '../account/account-limits.ts';

export type VcpuQuotas = ReturnType<typeof createVcpuQuotas>;

export const quotaReason = "You've reached the limit on the number of vCPUs you can run concurrently";

/** The vCPU of running tasks. Spot and on demand have separate quotas. */
export function createVcpuQuotas({ spotVcpus, onDemandVcpus }: AccountLimits = usualLimits) {
  const used = { spot: 0, onDemand: 0 };
  const quotaOf = (isSpot: boolean): keyof typeof used => (isSpot ? 'spot' : 'onDemand');
  return {
    /** How many of `count` tasks the quota allows now. */
    allowed(count: number, isSpot: boolean, vcpus: number): number {
      const free = (isSpot ? spotVcpus : onDemandVcpus) - used[quotaOf(isSpot)];
      return Math.max(0, Math.min(count, Math.floor(free / vcpus)));
    },
    /** Counts a task until the function that it returns is called. */
    take(isSpot: boolean, vcpus: number): () => void {
      used[quotaOf(isSpot)] += vcpus;
      return () => {
        used[quotaOf(isSpot)] -= vcpus;
      };
    },
  };
}
