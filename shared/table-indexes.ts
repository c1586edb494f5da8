/** The global secondary indexes of the table. infra creates them; functions query them by name. */
export const tableIndexes = {
  /** what a user owns, and what the service owns as `all` */
  byOwner: { partitionKey: 'ownerKey', sortKey: 'ownerSort' },
  /** a user's videos of one status, by creation */
  byStatus: { partitionKey: 'ownerUlid', sortKey: 'statusSort' },
  /** users with queued jobs, and the jobs of each, in the order of the queue */
  queue: { partitionKey: 'queueShard', sortKey: 'queueOrder' },
  /** leased jobs by holder and expiry */
  leases: { partitionKey: 'leaseHolder', sortKey: 'leaseExpiresAt' },
} as const;

export type TableIndex = keyof typeof tableIndexes;
