import { api } from './client.ts';
import { type ResourceOptions, useResource } from './use-resource.ts';

type Storages = Awaited<ReturnType<typeof load>>['data'];

const load = (signal: AbortSignal) => api.GET('/api/storages', { signal });

/** The storages of the user. */
export const useStorages = (options: Pick<ResourceOptions<NonNullable<Storages>>, 'pollSeconds'> = {}) =>
  useResource(load, { key: 'storages', ...options });
