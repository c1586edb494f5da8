/** Fewer finished siblings say nothing about how long such a job takes. */
const fewestSiblings = 5;
const timesEstimate = 3;
const usualShare = 0.95;

type Running = {
  runningSeconds: number;
  estimateSeconds: number;
  /** how long finished jobs of the same kind and video took */
  siblingSeconds: readonly number[];
};

/** Whether a job runs so much longer than it should, and than its siblings did, that an idle worker is well used on a second try elsewhere. */
export function isStraggler({ runningSeconds, estimateSeconds, siblingSeconds }: Running): boolean {
  if (siblingSeconds.length < fewestSiblings || runningSeconds <= timesEstimate * estimateSeconds) return false;
  const sorted = siblingSeconds.toSorted((a, b) => a - b);
  return runningSeconds > sorted[Math.ceil(usualShare * sorted.length) - 1]!;
}
