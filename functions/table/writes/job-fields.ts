/** Fields that a job has while it is leased, and while its expired lease is listed. */
export const leaseFields = ['leaseHolder', 'leaseExpiresAt', 'leasedAt', 'speculative'] as const;

/** Fields that a job has while it is queued. */
export const queueFields = ['queueShard', 'queueOrder'] as const;
