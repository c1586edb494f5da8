import type { Video } from './wait-for-video.ts';

export type FailedOutput = { name: string; reason: string };

/** In place of a reason that the service has not given. */
export const noReason = 'The service gave no reason.';

/** Why a video failed: the error of its source, or else of an output or a stream. */
export const reasonOf = ({ streams, outputs }: Pick<Video, 'streams' | 'outputs'>): string =>
  [...streams.filter(({ type }) => type === 'original'), ...outputs, ...streams]
    .map(({ error_log }) => error_log)
    .find(Boolean) ?? noReason;

/** The failed outputs of a video with their reasons. The others play. */
export const failedOutputs = ({ outputs }: Pick<Video, 'outputs'>): FailedOutput[] =>
  outputs
    .filter(({ status }) => status === 'failed')
    .map(({ name, format, error_log: reason }) => ({ name: name ?? format, reason: reason ?? noReason }));
