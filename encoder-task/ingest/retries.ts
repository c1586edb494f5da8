import { setTimeout as sleep } from 'node:timers/promises';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { reasonOf, unreachable } from './failures.ts';
import type { FetchContext } from './fetch-context.ts';

const maxFailures = 5;
/** A failure after this much progress is the first one again. */
const progressBytes = 2 ** 20;

type Options = Pick<FetchContext, 'signal' | 'firstDelayMs' | 'pace'>;

/**
 * Repeats requests that fail although the file is there. `received` returns how many bytes have come so far.
 * @throws JobError INPUT_UNREACHABLE after five failures without progress
 */
export async function retrying<Result>(
  { signal, firstDelayMs, pace }: Options,
  attempt: () => Promise<Result>,
  received: () => number = () => 0,
): Promise<Result> {
  let progress = received();
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof JobError || isLocal(error)) throw error;
      if (received() - progress >= progressBytes) failures = 1;
      progress = received();
      if (failures >= maxFailures) throw unreachable(reasonOf(error), { fatal: false });
      const delayMs = firstDelayMs * 2 ** (failures - 1) * (0.5 + Math.random());
      await pace.wait(() => sleep(delayMs, undefined, { signal }));
    }
  }
}

/** An error of this machine's files, which a request does not change. */
const isLocal = (error: unknown): boolean =>
  typeof (error as { path?: unknown }).path === 'string' || isDiskFull(error);

const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes(String((error as NodeJS.ErrnoException).code));
