import type { components } from '../../client/api-types.ts';

export type Job = components['schemas']['Job'];
export type JobSummary = components['schemas']['JobSummary'];
export type JobAttempt = Job['attempts'][number];

/** Identifies a job within a video. */
export const jobKey = ({ plan, kind, group, index }: Job): string => [plan, kind, group, index].join('.');

/** How long an attempt took, or takes until now. */
export const attemptSeconds = ({ started_at, ended_at }: JobAttempt, now: number): number =>
  Math.max(0, ((ended_at === null ? now : Date.parse(ended_at)) - Date.parse(started_at)) / 1000);

/** Attempts beyond the first one. */
export const retriesOf = ({ attempts }: Job): number => Math.max(0, (attempts.at(-1)?.number ?? 1) - 1);

/** Where a job ran last: the worker for administrators, the kind of its node for others. */
export function workerOf({ attempts }: Job): { worker: string } | { nodeType: JobAttempt['node_type'] } | undefined {
  const last = attempts.at(-1);
  if (last === undefined) return undefined;
  return last.worker === null ? { nodeType: last.node_type } : { worker: last.worker };
}

/** Finished jobs of all, from 0 to 1. */
export const shareDone = ({ completed, total }: JobSummary): number => (total === 0 ? 0 : completed / total);

/** What a job encodes, by name. A stream that was deleted since is left out. */
export const streamNames = ({ streams: ulids }: Pick<Job, 'streams'>, streams: readonly Named[]): string =>
  streams.flatMap(({ ulid, name }) => (ulids.includes(ulid) ? [name] : [])).join(', ');

type Named = Pick<components['schemas']['Stream'], 'ulid' | 'name'>;
