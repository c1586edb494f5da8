import { dueFields } from '../items/due-keys.ts';

/** Fields by which a leased job that takes too long is listed. */
export const stragglerFields = ['ownerKey', 'ownerSort', 'straggles'] as const;

/** Fields that a job has while it is leased, and while its expired lease is listed. */
export const leaseFields = [
  'leaseHolder',
  'leaseList',
  'leaseExpiresAt',
  'leasedAt',
  'speculative',
  ...dueFields,
  ...stragglerFields,
] as const;

/** Fields that a job has while it is queued. */
export const queueFields = ['queueShard', 'queueOrder'] as const;
