import { expect } from 'vitest';
import { callFaults, type FaultyStores } from './faulty-stores.ts';

/** Something that the service does, and what is there afterwards. */
export type Scenario<Scene> = {
  arrange(): Promise<Scene>;
  /** Throws when it was told that it failed, as a state, a worker or a client is. */
  act(scene: Scene): Promise<unknown>;
  /** What came of it, without names and times that differ each time. */
  look(scene: Scene): Promise<unknown>;
};

/**
 * Lets each of the store's calls of a scenario go wrong in each way, has what failed repeated by who asked for it, and expects what is there when all
 * goes well. `every`: only each n-th of all these.
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
