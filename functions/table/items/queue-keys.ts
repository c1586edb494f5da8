import { isVideoCodec, type VideoCodec } from '../../../shared/media/codecs.ts';

/**
 * Keys of the index `queue`. Users lie in one partition in order of their virtual time, and each user's jobs in a
 * partition of their own in order of theirs. Urgent jobs, and users who have some, come first. The index holds keys
 * only: what is needed to lease a job without reading it is part of the key.
 *
 * A partition takes about 1,000 writes a second. Under load, users are spread over several partitions, and so are the
 * jobs of a user who has many. Readers know it from what they read first: from a mark before all users, or from the
 * key of the user.
 */

export type QueuedUser = {
  userUlid: string;
  /** seconds of work that the user's jobs were given: the virtual time of the user */
  servedSeconds: number;
  /** the latest virtual time of the user's leased jobs, at which the user's next video joins the others */
  virtualTimeSeconds: number;
  /** when an urgent job was last queued, while the user may have one */
  urgentAtMilliseconds?: number | undefined;
  /** when a job of the user that is not urgent was last leased, or the user joined */
  servedAtMilliseconds?: number | undefined;
  /** the virtual time at which the user joined minus the time then: added to the present time, it has grown as much */
  joinOffsetSeconds?: number | undefined;
  /** the user's jobs are in all partitions that they can be in, and not only in the first one */
  isSpread?: true | undefined;
};

export type QueuedJob = {
  /** comes before all jobs that are not urgent, of all users */
  isUrgent: boolean;
  /** the virtual time of its video at which the job is due */
  virtualTimeSeconds: number;
  estimateSeconds: number;
  /** how often the job was leased before */
  attempt: number;
  /** of the container that it needs; undefined when any is large enough */
  memoryMib?: number | undefined;
  /** of the encoders that it needs; undefined when any worker can run it */
  codecs?: readonly VideoCodec[] | undefined;
};

const shards = 8;
const numbers = Array.from({ length: shards }, (_, number) => number);
const shardOf = (name: string, number: number): string => (number === 0 ? name : `${name}#${number}`);

/** The partitions of users. Only the first one has users unless the mark of spreading is in it. */
export const usersShards: readonly string[] = numbers.map((number) => shardOf('users', number));

/** The partitions of a user's jobs. */
export const jobsShards = ({ userUlid, isSpread }: Pick<QueuedUser, 'userUlid' | 'isSpread'>): string[] =>
  (isSpread ? numbers : [0]).map((number) => shardOf(`jobs#${userUlid}`, number));

export const pickOne = (partitions: readonly string[]): string =>
  partitions[Math.floor(Math.random() * partitions.length)]!;

/** Sorts before all users. Until the time in it, users are spread. */
const spreadMark = '!';
export const spreadOrder = (untilMilliseconds: number): string => `${spreadMark}${untilMilliseconds}`;
export const readSpreadOrder = (order: string | undefined): number | undefined =>
  order?.startsWith(spreadMark) ? Number(order.slice(spreadMark.length)) : undefined;

/** Seconds as text that sorts by value: milliseconds with leading zeros, up to 31,000 years. */
const sortable = (seconds: number): string => String(Math.round(seconds * 1000)).padStart(15, '0');

const level = { urgent: '0', usual: '1' };

export function userOrder(user: QueuedUser): string {
  const { servedSeconds, virtualTimeSeconds, userUlid, urgentAtMilliseconds, isSpread } = user;
  const position = [sortable(servedSeconds), sortable(virtualTimeSeconds), userUlid];
  const isUrgent = urgentAtMilliseconds !== undefined;
  const aging = [user.servedAtMilliseconds ?? '', user.joinOffsetSeconds ?? ''];
  const rest = [urgentAtMilliseconds ?? '', isSpread ? 'spread' : '', ...aging];
  return [isUrgent ? level.urgent : level.usual, ...position, ...rest].join('#');
}

export function readUserOrder(order: string): QueuedUser {
  const [, served, virtualTime, userUlid = '', urgentAt = '', spread = '', servedAt = '', offset = ''] =
    order.split('#');
  return {
    userUlid,
    servedSeconds: Number(served) / 1000,
    virtualTimeSeconds: Number(virtualTime) / 1000,
    ...(urgentAt !== '' && { urgentAtMilliseconds: Number(urgentAt) }),
    ...(spread !== '' && { isSpread: true as const }),
    ...(servedAt !== '' && { servedAtMilliseconds: Number(servedAt) }),
    ...(offset !== '' && { joinOffsetSeconds: Number(offset) }),
  };
}

export function jobOrder(job: QueuedJob): string {
  const { isUrgent, virtualTimeSeconds, estimateSeconds, attempt, memoryMib = '', codecs = [] } = job;
  const position = [isUrgent ? level.urgent : level.usual, sortable(virtualTimeSeconds)];
  return [...position, Math.ceil(estimateSeconds), attempt, memoryMib, codecs.join('+')].join('#');
}

export function readJobOrder(order: string): QueuedJob {
  const [jobLevel, virtualTime, estimateSeconds, attempt, memoryMib = '', codecs = ''] = order.split('#');
  return {
    isUrgent: jobLevel === level.urgent,
    virtualTimeSeconds: Number(virtualTime) / 1000,
    estimateSeconds: Number(estimateSeconds),
    attempt: Number(attempt),
    ...(memoryMib !== '' && { memoryMib: Number(memoryMib) }),
    ...(codecs !== '' && { codecs: codecs.split('+').filter(isVideoCodec) }),
  };
}
