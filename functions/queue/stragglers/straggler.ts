/** With fewer finished siblings, the usual duration is not known. */
const minSiblings = 5;
const minTimesEstimate = 3;
const percentile = 0.95;

/** Whether a job has run so long that it may be a straggler. Then its siblings are compared. */
export const isSlow = ({ runningSeconds, estimateSeconds }: Pick<Running, 'runningSeconds' | 'estimateSeconds'>) =>
  runningSeconds > minTimesEstimate * estimateSeconds;

type Running = {
  runningSeconds: number;
  estimateSeconds: number;
  /** how long finished jobs of the same kind and video took */
  siblingSeconds: readonly number[];
};

/**
 * Whether a job runs longer than three times its estimate and longer than 95 % of its siblings, so that a second
 * attempt is worth an idle worker.
 */
export function isStraggler({ runningSeconds, estimateSeconds, siblingSeconds }: Running): boolean {
  if (siblingSeconds.length < minSiblings || !isSlow({ runningSeconds, estimateSeconds })) return false;
  const sorted = siblingSeconds.toSorted((a, b) => a - b);
  return runningSeconds > sorted[Math.ceil(percentile * sorted.length) - 1]!;
}
