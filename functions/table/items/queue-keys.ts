/**
 * Keys of the index `queue`. Users lie in one partition in order of their virtual time, and each user's jobs in a
 * partition of their own in order of theirs. The index holds keys only: what is needed to lease a job without reading
 * it is part of the key.
 */

export type QueuedUser = {
  userUlid: string;
  /** seconds of work that the user's jobs were given: the virtual time of the user */
  servedSeconds: number;
  /** the latest virtual time of the user's leased jobs, at which the user's next video joins the others */
  virtualTimeSeconds: number;
};

export type QueuedJob = {
  /** the virtual time of its video at which the job is due */
  virtualTimeSeconds: number;
  estimateSeconds: number;
  /** how often the job was leased before */
  attempt: number;
};

export const usersShard = 'users';
export const jobsShard = (userUlid: string): string => `jobs#${userUlid}`;

/** Seconds as text that sorts by value: milliseconds with leading zeros, up to 31,000 years. */
const sortable = (seconds: number): string => String(Math.round(seconds * 1000)).padStart(15, '0');

export const userOrder = ({ servedSeconds, virtualTimeSeconds, userUlid }: QueuedUser): string =>
  [sortable(servedSeconds), sortable(virtualTimeSeconds), userUlid].join('#');

export function readUserOrder(order: string): QueuedUser {
  const [served, virtualTime, userUlid = ''] = order.split('#');
  return { userUlid, servedSeconds: Number(served) / 1000, virtualTimeSeconds: Number(virtualTime) / 1000 };
}

export const jobOrder = ({ virtualTimeSeconds, estimateSeconds, attempt }: QueuedJob): string =>
  `${sortable(virtualTimeSeconds)}#${Math.ceil(estimateSeconds)}#${attempt}`;

export function readJobOrder(order: string): QueuedJob {
  const [virtualTime = 0, estimateSeconds = 0, attempt = 0] = order.split('#').map(Number);
  return { virtualTimeSeconds: virtualTime / 1000, estimateSeconds, attempt };
}
