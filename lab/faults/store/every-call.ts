import { expect } from 'vitest';
import { callFaults, type FaultyStores } from './faulty-stores.ts';

/** An action of the service, with the expected state afterwards. */
export type Scenario<Scene> = {
  arrange(): Promise<Scene>;
  /** Throws if its caller (a state, a worker, a client) would see a failure. */
  act(scene: Scene): Promise<unknown>;
  /** The resulting state, without names and times that differ between runs. */
  look(scene: Scene): Promise<unknown>;
};

/**
 * Makes each store call of a scenario fail in each way, repeats failed actions like their callers do, and expects the
 * same state as without faults. `every`: runs only each n-th combination.
 */
export async function expectSameWhateverFails<Scene>(
  stores: FaultyStores,
  { arrange, act, look }: Scenario<Scene>,
  every = 1,
): Promise<void> {
  const undisturbed = await arrange();
  const calls = await stores.during(() => act(undisturbed));
  const wanted = await look(undisturbed);
  const cases = calls.flatMap((call, at) => callFaults.map((how) => ({ call, at, how })));
  for (const { call, at, how } of cases.filter((_, position) => position % every === 0)) {
    const scene = await arrange();
    const said: unknown[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      try {
        await stores.during(() => act(scene), attempt === 0 ? { at, how } : undefined);
        break;
      } catch (error) {
        said.push(error);
      }
    }
    const which = `${call.service} ${call.operation}, call ${at}, ${how.name}`;
    expect(said.length, `${which}: ${said.at(-1)}`).toBeLessThan(4);
    expect(await look(scene), which).toEqual(wanted);
  }
}
