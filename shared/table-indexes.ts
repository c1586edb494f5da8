/** The global secondary indexes of the table. infra creates them; functions query them by name. */
export const tableIndexes = {
  /** what a user owns, and what the service owns as `all` */
  byOwner: { partitionKey: 'ownerKey', sortKey: 'ownerSort' },
  /** a user's videos of one status, by creation */
  byStatus: { partitionKey: 'ownerUlid', sortKey: 'statusSort' },
  /** users with queued jobs, and the jobs of each, in the order of the queue */
  queue: { partitionKey: 'queueShard', sortKey: 'queueOrder' },
  /** leased jobs of a node or of a worker of the pool, by worker */
  leases: { partitionKey: 'leaseList', sortKey: 'worker' },
  /** records that a scheduled run looks at after some time, by that time: see `due-keys.ts` of the table layer */
  due: { partitionKey: 'dueShard', sortKey: 'dueAt' },
} as const;

export type TableIndex = keyof typeof tableIndexes;
