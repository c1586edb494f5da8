import { ConditionFailed, transact, type Write, write } from './items.ts';

/** Makes a conditional write. False when its condition does not hold. */
export const tryWrite = (one: Write): Promise<boolean> => held(() => write(one));

/** Makes all writes or none. False when a condition does not hold. */
export const tryTransact = (writes: Write[]): Promise<boolean> => held(() => transact(writes));

/** False when a condition of the writes that `act` makes does not hold. */
export async function held(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
