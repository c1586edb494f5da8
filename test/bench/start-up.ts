import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesise } from '../../infra/local/synthesise.ts';
import { startService } from '../journey/support/service.ts';
import { median, type Row, row } from './row.ts';
import { serviceCpuSeconds } from './service-process.ts';
import { secondsOf } from './stop-watch.ts';

/**
 * How long a user waits: for the template after a change, and for the ready line of a service with an empty and with a
 * used data folder.
 */
export async function measureStartUp(repeats: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-start-'));
  const seconds = { synthesis: [] as number[], first: [] as number[], next: [] as number[], nextCpu: [] as number[] };
  try {
    await synthesise();
    for (let repeat = 0; repeat < repeats; repeat++) {
      const dataFolder = join(folder, `data-${repeat}`);
      const start = async () => (await startService({ dataFolder })).stop;
      seconds.synthesis.push(await secondsOf(() => synthesise(join(folder, `cache-${repeat}`))));
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
    row({ name: 'synthesis after a change', value: median(seconds.synthesis), unit: 's' }),
    row({ name: 'start after a change, used data folder', value: afterChange, unit: 's', atMost: 4 }),
    row({ name: 'start, new data folder', value: median(seconds.first), unit: 's', atMost: 1.5 }),
    row({ name: 'start, used data folder', value: median(seconds.next), unit: 's', atMost: 1.5 }),
    row({ name: 'start, used data folder: CPU', value: median(seconds.nextCpu), unit: 's', atMost: 1.5 }),
  ];
}
