import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { BatchStep } from '../records.ts';

/** Fails when another call was faster, so that each key makes one ingest at most. */
export const batchMoved = ({ ulid, before, position, skipped }: BatchStep): Write => ({
  update: keys.ingestBatch(ulid),
  set: { position },
  add: { created: 1, skipped },
  when: { equals: { status: 'listing', position: before } },
});
