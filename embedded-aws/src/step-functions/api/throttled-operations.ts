import type { Input } from './operation-input.ts';
import { StepFunctionsError } from './step-functions-errors.ts';

/**
 * Operations whose rate AWS limits per account, by a bucket that refills slowly: DescribeExecution with 10 to 15
 * requests per second. https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
 */
const limited = new Set([
  'DescribeExecution',
  'SendTaskFailure',
  'SendTaskHeartbeat',
  'SendTaskSuccess',
  'StartExecution',
  'StopExecution',
]);

export type StatesChaos = {
  /** The share of calls that are throttled, 0 to 1. */
  throttledShare: number;
};

type Call = (operation: string, input: Input) => Promise<unknown>;

/** Throttles calls at random, as an account does that is used by others too. */
export function throttleOperations(
  call: Call,
  { throttledShare }: StatesChaos,
  random: () => number = Math.random,
): Call {
  return async (operation, input) => {
    if (limited.has(operation) && random() < throttledShare) {
      throw new StepFunctionsError('ThrottlingException', 'Rate exceeded');
    }
    return call(operation, input);
  };
}
