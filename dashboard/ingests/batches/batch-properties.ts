import type { components } from '../../../client/api-types.ts';

export type Batch = components['schemas']['IngestBatch'];
type CreateIngestBatch = components['schemas']['CreateIngestBatch'];

const openSeconds = 5;
const restingSeconds = 30;

/** Whether it lists keys, or waits for files. */
const isOpen = ({ status }: Pick<Batch, 'status'>): boolean => status === 'listing' || status === 'fetching';

export const pollSecondsOf = (batches: readonly Pick<Batch, 'status'>[]): number =>
  batches.some(isOpen) ? openSeconds : restingSeconds;

const shownMilliseconds = 24 * 3600 * 1000;

/** Those that are open, and for a day what became of the others. Their files are in the list of imports. */
export const shownBatches = <Shown extends Pick<Batch, 'status' | 'created_at'>>(
  batches: readonly Shown[],
  now = Date.now(),
): Shown[] => batches.filter((batch) => isOpen(batch) || now - Date.parse(batch.created_at) < shownMilliseconds);

type BatchForm = { storage: string; prefix: string; limit: string; template: string };

/** A prefix is sent as it is typed. A limit that is no number is sent too: the service says what it may be. */
export const batchCreationOf = ({ storage, prefix, limit, template }: BatchForm): CreateIngestBatch => ({
  storage,
  ...(prefix !== '' && { prefix }),
  metadata: { template },
  ...(limit.trim() !== '' && { limit: Number(limit) }),
});
