import type { JobId } from '../table/items/keys.ts';

/** The run of jobs that belong to the source and not to a plan of it: a file is looked at once, whatever is made of it later. */
export const sourceRun = 0;

export const probeId = (videoUlid: string): JobId => ({
  videoUlid,
  planNumber: sourceRun,
  kind: 'probe',
  group: 0,
  index: 0,
});
