import { openJournal } from '../../src/durable/change-journal.ts';

/** A map of numbers whose changes are in a journal. */
export async function openJournaledMap(path: string) {
  const state = new Map<number, number>();
  const apply = (record: unknown) => {
    const [key, value] = record as [number, number];
    state.set(key, value);
  };
  const journal = await openJournal({ path, replay: apply, snapshot: () => [...state] });
  const set = (key: number, value: number) => {
    apply([key, value]);
    return journal.append([key, value]);
  };
  return { state, journal, set };
}
