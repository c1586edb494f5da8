/**
 * Keys of the index `queue`. Users lie in one partition in order of their virtual time, and each user's jobs in a
 * partition of their own in order of theirs. Urgent jobs, and users who have some, come first. The index holds keys
 * only: what is needed to lease a job without reading it is part of the key.
 */

export type QueuedUser = {
  userUlid: string;
  /** seconds of work that the user's jobs were given: the virtual time of the user */
  servedSeconds: number;
  /** the latest virtual time of the user's leased jobs, at which the user's next video joins the others */
  virtualTimeSeconds: number;
  /** when an urgent job was last queued, while the user may have one */
  urgentAtMilliseconds?: number | undefined;
};

export type QueuedJob = {
  /** comes before all jobs that are not urgent, of all users */
  isUrgent: boolean;
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

const level = { urgent: '0', usual: '1' };

export function userOrder({ servedSeconds, virtualTimeSeconds, userUlid, urgentAtMilliseconds }: QueuedUser): string {
  const place = [sortable(servedSeconds), sortable(virtualTimeSeconds), userUlid];
  const isUrgent = urgentAtMilliseconds !== undefined;
  return [isUrgent ? level.urgent : level.usual, ...place, ...(isUrgent ? [urgentAtMilliseconds] : [])].join('#');
}

export function readUserOrder(order: string): QueuedUser {
  const [, served, virtualTime, userUlid = '', urgentAt] = order.split('#');
  return {
    ...{ userUlid, servedSeconds: Number(served) / 1000, virtualTimeSeconds: Number(virtualTime) / 1000 },
    ...(urgentAt !== undefined && { urgentAtMilliseconds: Number(urgentAt) }),
  };
}

export const jobOrder = ({ isUrgent, virtualTimeSeconds, estimateSeconds, attempt }: QueuedJob): string =>
  [isUrgent ? level.urgent : level.usual, ...[sortable(virtualTimeSeconds), Math.ceil(estimateSeconds), attempt]].join(
    '#',
  );

export function readJobOrder(order: string): QueuedJob {
  const [jobLevel, ...numbers] = order.split('#');
  const [virtualTime = 0, estimateSeconds = 0, attempt = 0] = numbers.map(Number);
  return { isUrgent: jobLevel === level.urgent, virtualTimeSeconds: virtualTime / 1000, estimateSeconds, attempt };
}
