import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesise } from '../../local/synthesise.ts';
import { startService } from '../../test/journey/support/service.ts';
import { median, type Row, row } from './row.ts';
import { serviceCpuSeconds } from './service-process.ts';
import { secondsOf } from './stop-watch.ts';

/** Its bundle is removed before each synthesis, as after a change of this function. */
const changedFunction = 'functions.api.videos.ts.json';

/**
 * How long a user waits: for the template at first and after a change of one function, and for the ready line of a
 * service with an empty and with a used data folder.
 */
export async function measureStartUp(repeats: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-start-'));
  let firstSynthesis = 0;
  const seconds = { synthesis: [] as number[], first: [] as number[], next: [] as number[], nextCpu: [] as number[] };
  try {
    await synthesise();
    const bundles = join(folder, 'bundles');
    firstSynthesis = await secondsOf(() => synthesise(join(folder, 'cache-first'), bundles));
    for (let repeat = 0; repeat < repeats; repeat++) {
      const dataFolder = join(folder, `data-${repeat}`);
      const start = async () => (await startService({ dataFolder })).stop;
      await rm(join(bundles, changedFunction));
      seconds.synthesis.push(await secondsOf(() => synthesise(join(folder, `cache-${repeat}`), bundles)));
      for (const list of [seconds.first, seconds.next]) {
        let stop = async () => {};
        list.push(
          await secondsOf(async () => {
            stop = await start();
          }),
        );
        // Other load changes it less than the time.
        if (list === seconds.next) seconds.nextCpu.push(await serviceCpuSeconds(dataFolder));
        await stop();
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const afterChange = median(seconds.synthesis.map((synthesis, index) => synthesis + seconds.next[index]!));
  return [
    row({ name: 'synthesis, nothing bundled before', value: firstSynthesis, unit: 's' }),
    row({ name: 'synthesis after a change of one function', value: median(seconds.synthesis), unit: 's' }),
    row({ name: 'start after a change of one function, used data folder', value: afterChange, unit: 's', atMost: 4 }),
    row({ name: 'start, new data folder', value: median(seconds.first), unit: 's', atMost: 1.5 }),
    row({ name: 'start, used data folder', value: median(seconds.next), unit: 's', atMost: 1.5 }),
    row({ name: 'start, used data folder: CPU', value: median(seconds.nextCpu), unit: 's', atMost: 1.5 }),
  ];
}
