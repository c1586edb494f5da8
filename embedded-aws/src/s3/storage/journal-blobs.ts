import { replayJournal } from '../../durable/change-journal.ts';
import { applyChange, type Change, emptyState, referencedBlobs } from './bucket-state.ts';

/** The ids of the blobs that the objects and parts in a journal refer to. */
export async function referencedBlobsIn(journalPath: string): Promise<string[]> {
  const state = emptyState();
  await replayJournal(journalPath, (change) => applyChange(state, change as Change));
  return [...referencedBlobs(state).keys()];
}
