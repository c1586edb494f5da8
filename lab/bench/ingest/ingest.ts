import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median, type Row, row } from '../row.ts';
import { startGeneratedSource } from './generated-source.ts';
import { runFetch } from './run-fetch.ts';

const bytesPerSecond = 50 * 2 ** 20;
const mebibyte = 2 ** 20;

/** The fetch of files from a server: the time compared with curl, which discards the file, and the memory. */
export async function measureIngest(repeats: number): Promise<Row[]> {
  return [
    await measureTime(500, repeats),
    await measureMemory('200 MiB at 50 MiB/s', 200, bytesPerSecond),
    await measureMemory('3 GiB at full speed', 3072),
  ];
}

async function measureTime(fileMib: number, repeats: number): Promise<Row> {
  const source = await startGeneratedSource(fileMib * mebibyte, { bytesPerSecond });
  try {
    const [fetches, curls]: [number[], number[]] = [[], []];
    for (let repeat = 0; repeat < repeats; repeat++) {
      const startMs = performance.now();
      await promisify(execFile)('curl', ['--silent', '--fail', '--output', '/dev/null', source.sourceUrl]);
      curls.push((performance.now() - startMs) / 1000);
      fetches.push((await runFetch(source)).seconds);
    }
    return row({
      name: `ingest of ${fileMib} MiB at 50 MiB/s against curl`,
      unit: 's',
      ratioAtMost: 1.1,
      value: median(fetches),
      baseline: median(curls),
    });
  } finally {
    source.close();
  }
}

async function measureMemory(about: string, fileMib: number, bytesPerSecond?: number): Promise<Row> {
  const source = await startGeneratedSource(fileMib * mebibyte, { ...(bytesPerSecond && { bytesPerSecond }) });
  try {
    const { peakRssBytes } = await runFetch(source);
    return row({ name: `memory of a worker, ${about}`, value: peakRssBytes / mebibyte, unit: 'MiB', atMost: 150 });
  } finally {
    source.close();
  }
}
