import type { JobKind } from '../../shared/protocol/jobs.ts';

/**
 * A job by its purpose. `group` is the encode group, the output or the spoken track that the job works on, 0 for other
 * kinds. The index of a probe and of thumbnails is the number of the source (see `videoRecord`).
 */
export type JobId<Kind extends JobKind = JobKind> = {
  videoUlid: string;
  planNumber: number;
  kind: Kind;
  group: number;
  index: number;
};

/** Name of a job in folders and logs, such as `encode-video-00-00007`. */
export const jobName = ({ kind, group, index }: Pick<JobId, 'kind' | 'group' | 'index'>): string =>
  `${jobGroupPrefix({ kind, group })}${String(index).padStart(5, '0')}`;

/** What the names of a group's jobs begin with, such as `package-01-`. */
export const jobGroupPrefix = ({ kind, group }: Pick<JobId, 'kind' | 'group'>): string =>
  `${kind}-${String(group).padStart(2, '0')}-`;

/**
 * The probe belongs to the source and not to a plan: a file is probed once for all plans. Plans are numbered from 1.
 */
export const probePlanNumber = 0;

/** An ingest has the ULID of the video that is made of it. There is no plan yet. */
export const ingestJobId = (ulid: string): JobId<'ingest'> => ({
  videoUlid: ulid,
  planNumber: probePlanNumber,
  kind: 'ingest',
  group: 0,
  index: 0,
});

/** The job of a storage delivery has the ULID of the delivery in the position of the video's. */
export const deliverJobId = (deliveryUlid: string): JobId<'deliver'> => ({
  videoUlid: deliveryUlid,
  planNumber: probePlanNumber,
  kind: 'deliver',
  group: 0,
  index: 0,
});

/** A part of the speech of a finished audio track. `group` is the position of the track in the plan. */
export const transcribeJobId = (
  videoUlid: string,
  planNumber: number,
  { group, index }: { group: number; index: number },
): JobId<'transcribe'> => ({ videoUlid, planNumber, kind: 'transcribe', group, index });

type SourceOfVideo = { ulid: string; sourceNumber?: number | undefined };

export const probeJobId = ({ ulid, sourceNumber = 0 }: SourceOfVideo): JobId<'probe'> => ({
  videoUlid: ulid,
  planNumber: probePlanNumber,
  kind: 'probe',
  group: 0,
  index: sourceNumber,
});

export const thumbnailsJobId = (
  { ulid, sourceNumber = 0 }: SourceOfVideo,
  planNumber: number,
): JobId<'thumbnails'> => ({ videoUlid: ulid, planNumber, kind: 'thumbnails', group: 0, index: sourceNumber });
