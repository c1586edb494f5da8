import { JobError } from '../../shared/job-errors.ts';
import type { JobContext } from '../job-context.ts';

/** The lease's GET URL for a role such as `source` or `video/3`. */
export function inputUrl({ inputs }: Pick<JobContext, 'inputs'>, role: string): string {
  const url = inputs[role];
  if (url === undefined) throw new JobError('INTERNAL', `the lease has no input ${role}`);
  return url;
}
