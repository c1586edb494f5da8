import { usualLimits } from '../account/account-limits.ts';
import type { FunctionDefinition } from '../template/read-functions.ts';
import { TooManyRequests } from './lambda-errors.ts';

type Limit = { running: number; readonly max: number };

/**
 * Limits how many invocations run at the same time: for a function with reserved concurrency, and for all others
 * together. https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
 */
export function createConcurrency(
  functions: readonly FunctionDefinition[],
  maxOfAccount = usualLimits.concurrentExecutions,
) {
  const reserved = functions.filter(({ reservedConcurrency }) => reservedConcurrency !== undefined);
  const reservedTotal = reserved.reduce((total, one) => total + one.reservedConcurrency!, 0);
  const shared: Limit = { running: 0, max: maxOfAccount - reservedTotal };
  const limits = new Map<string, Limit>(
    reserved.map(({ name, reservedConcurrency }) => [name, { running: 0, max: reservedConcurrency! }]),
  );
  return {
    /** Returns what has to be given to `release`. @throws TooManyRequests */
    acquire(functionName: string): Limit {
      const limit = limits.get(functionName) ?? shared;
      if (limit.running >= limit.max) throw new TooManyRequests();
      limit.running += 1;
      return limit;
    },
    release(limit: Limit): void {
      limit.running -= 1;
    },
  };
}
