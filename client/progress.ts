import type { components } from './api-types.ts';

type Schemas = components['schemas'];

/** How much of a batch of ingests is done, from 0 to 1; undefined while nobody knows how many keys follow. */
export const shareOfBatch = ({
  status,
  created,
  stored,
  failed,
  removed,
}: Pick<Schemas['IngestBatch'], 'status' | 'created' | 'stored' | 'failed' | 'removed'>): number | undefined =>
  status === 'fetching' && created > 0 ? (stored + failed + removed) / created : undefined;

/** How much of an ingest is received, from 0 to 1; undefined while its size is unknown. */
export const shareOfIngest = ({
  size,
  bytes_received,
}: Pick<Schemas['Ingest'], 'size' | 'bytes_received'>): number | undefined =>
  size === null || size === 0 ? undefined : Math.min(1, bytes_received / size);

/** How much of a storage delivery is copied, from 0 to 1, by bytes; undefined until its files are listed. */
export const shareOfDelivery = ({
  bytes,
  bytes_copied,
}: Pick<Schemas['StorageDelivery'], 'bytes' | 'bytes_copied'>): number | undefined =>
  bytes === null ? undefined : bytes === 0 ? 1 : Math.min(1, bytes_copied / bytes);

/** How much of a video is encoded, from 0 to 1: the mean of its outputs. */
export const shareOfVideo = ({ outputs, status }: Pick<Schemas['Video'], 'outputs' | 'status'>): number => {
  if (status === 'completed') return 1;
  if (outputs.length === 0) return 0;
  return outputs.reduce((sum, { progress }) => sum + progress, 0) / outputs.length / 100;
};
