import { applyChange, type Change, emptyState, referencedBlobs } from './bucket-state.ts';
import { replayJournal } from './change-journal.ts';

/** The names of the blobs that a journal's objects and parts are made of. */
export async function referencedBlobsIn(journalPath: string): Promise<Set<string>> {
  const state = emptyState();
  await replayJournal(journalPath, (change) => applyChange(state, change as Change));
  return referencedBlobs(state);
}
