/** The quotas of an account that can make a deployment or the start of a task fail. */
export type AccountLimits = {
  /** Lambda: invocations at a time of all functions. */
  concurrentExecutions: number;
  /** Lambda: the largest memory of a function, in MiB. Service Quotas does not list it. */
  functionMemoryMib: number;
  /** Fargate: vCPU of all running tasks on demand, and on Spot. */
  onDemandVcpus: number;
  spotVcpus: number;
  /** EC2: networks and Elastic IP addresses of the region. */
  vpcs: number;
  addresses: number;
};

/** An account that has been in use for some time. */
export const usualLimits: AccountLimits = {
  concurrentExecutions: 1000,
  functionMemoryMib: 10_240,
  onDemandVcpus: 1000,
  spotVcpus: 1000,
  vpcs: 5,
  addresses: 5,
};

export const newAccountLimits: AccountLimits = {
  ...usualLimits,
  concurrentExecutions: 10,
  functionMemoryMib: 3008,
  onDemandVcpus: 6,
  spotVcpus: 6,
};

/** What Lambda keeps for functions without reserved concurrency, of accounts that have more than that. */
export const minUnreserved = 100;
