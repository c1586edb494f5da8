import type { Video } from './api-client.ts';

export type FailedOutput = { name: string; reason: string };

const noReason = 'The service gave no reason.';

/** Why a video failed: what was wrong with its source, or else what its outputs and streams say. */
export const reasonOf = ({ streams, outputs }: Pick<Video, 'streams' | 'outputs'>): string =>
  [...streams.filter(({ type }) => type === 'original'), ...outputs, ...streams]
    .map(({ error_log }) => error_log)
    .find(Boolean) ?? noReason;

/** The outputs that failed, each with its reason: a video plays by the others. */
export const failedOutputs = ({ outputs }: Pick<Video, 'outputs'>): FailedOutput[] =>
  outputs
    .filter(({ status }) => status === 'failed')
    .map(({ name, format, error_log: reason }) => ({ name: name ?? format, reason: reason ?? noReason }));
