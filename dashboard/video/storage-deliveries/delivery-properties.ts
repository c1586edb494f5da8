import type { components } from '../../../client/api-types.ts';
import type { DeliveryTarget } from '../../storages/delivery-fields.tsx';
import type { Output } from '../video-properties.ts';

export type StorageDelivery = components['schemas']['StorageDelivery'];
type CreateStorageDelivery = components['schemas']['CreateStorageDelivery'];

/** Whether it waits or runs. */
export const isOpen = ({ status }: Pick<StorageDelivery, 'status'>): boolean =>
  status === 'pending' || status === 'running';

const runningSeconds = 2;
const restingSeconds = 15;

export const pollSecondsOf = (deliveries: readonly Pick<StorageDelivery, 'status'>[]): number =>
  deliveries.some(isOpen) ? runningSeconds : restingSeconds;

/** What repeats a delivery. */
export const repetitionOf = ({ storage, path, outputs, also }: StorageDelivery): CreateStorageDelivery => ({
  storage,
  path,
  outputs,
  also,
});

/** What has its default is left out. */
export const creationOf = ({ storage, path, outputs, also }: DeliveryTarget): CreateStorageDelivery => ({
  storage,
  ...(path.trim() !== '' && { path: path.trim() }),
  ...(outputs !== '*' && { outputs: [...outputs] }),
  ...(also.length > 0 && { also: also as StorageDelivery['also'] }),
});

/** The outputs that can be copied. */
export const deliverableOutputs = (outputs: readonly Pick<Output, 'name' | 'status'>[]): string[] =>
  outputs.flatMap(({ name, status }) => (name !== null && status === 'completed' ? [name] : []));
