import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median, type Row, row } from '../row.ts';
import { startGeneratedSource } from './generated-source.ts';
import { runFetch } from './run-fetch.ts';

const bytesPerSecond = 50 * 2 ** 20;
const fileBytes = 500 * 2 ** 20;

/** The fetch of a file from a server with a limited rate, compared with curl, which discards it. */
export async function measureIngest(repeats: number): Promise<Row[]> {
  const source = await startGeneratedSource(fileBytes, { bytesPerSecond });
  try {
    const [fetches, curls]: [number[], number[]] = [[], []];
    let peakRssBytes = 0;
    for (let repeat = 0; repeat < repeats; repeat++) {
      const startMs = performance.now();
      await promisify(execFile)('curl', ['--silent', '--fail', '--output', '/dev/null', source.sourceUrl]);
      curls.push((performance.now() - startMs) / 1000);
      const use = await runFetch(source);
      fetches.push(use.seconds);
      peakRssBytes = Math.max(peakRssBytes, use.peakRssBytes);
    }
    return [
      row({
        ...{ name: 'ingest of 500 MiB at 50 MiB/s against curl', unit: 's', ratioAtMost: 1.1 },
        ...{ value: median(fetches), baseline: median(curls) },
      }),
      row({ name: 'memory of the worker at most', value: peakRssBytes / 2 ** 20, unit: 'MiB', atMost: 150 }),
    ];
  } finally {
    source.close();
  }
}
