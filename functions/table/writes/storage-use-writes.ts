import type { Condition } from '../items/expression.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Template } from '../records.ts';

/** What uses a storage: templates that name it, and its deliveries and ingests that have not ended. */
export const storageUses = ['templates', 'deliveries', 'ingests'] as const;
type StorageUse = (typeof storageUses)[number];

export const isUnused: Condition = { below: { templates: 1, deliveries: 1, ingests: 1 } };

/**
 * Counts another use of a storage. Its condition fails when the storage was deleted, or belongs to none of `owners`.
 */
export const storageUseBegins = (ulid: string, use: StorageUse, owners: readonly string[]): Write => ({
  update: keys.storage(ulid),
  add: { [use]: 1 },
  when: { exists: true, absent: ['deletedAt'], oneOf: { ownerUlid: owners } },
});

/** Counts the end of a use: once for each that has begun, since a used storage is never deleted. */
export const storageUseEnds = (ulid: string, use: StorageUse): Write => ({
  update: keys.storage(ulid),
  add: { [use]: -1 },
  when: { exists: true },
});

/** The ULIDs of the storages that a stored query delivers to, each once. */
export const storagesOf = (query: Template['query'] | undefined): string[] => {
  const { deliver = [] } = (query ?? {}) as { deliver?: { storage: string }[] };
  return [...new Set(deliver.map(({ storage }) => storage.toUpperCase()))].toSorted();
};

/** Counts that a template delivers to other storages than before. `owners`: whose storages it may name. */
export const templateStorageWrites = (
  before: readonly string[],
  after: readonly string[],
  owners: readonly string[],
): Write[] => [
  ...before.filter((ulid) => !after.includes(ulid)).map((ulid) => storageUseEnds(ulid, 'templates')),
  ...after.filter((ulid) => !before.includes(ulid)).map((ulid) => storageUseBegins(ulid, 'templates', owners)),
];

const singular = { templates: 'template', deliveries: 'delivery', ingests: 'ingest' } as const;

/** Such as `2 templates and 1 ingest`. */
export const usedBy = (uses: Record<StorageUse, number>): string =>
  new Intl.ListFormat('en').format(
    storageUses.flatMap((use) => (uses[use] > 0 ? [`${uses[use]} ${uses[use] === 1 ? singular[use] : use}`] : [])),
  );
