import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureCpu } from '../../../encoder-task/runtime/child-cpu.ts';
import { measurePeakUse } from '../../encoder-task/support/peak-use.ts';
import { runPlan } from '../../encoder-task/support/run-plan.ts';
import { startStore } from '../../encoder-task/support/store.ts';
import { runOrThrow } from '../../journey/support/ffmpeg.ts';
import { type Row, row } from '../row.ts';

/** Sources with motion and noise, each with the memory limit of a worker for a chunk of the built-in ladder. */
const sources = [
  { width: 1920, height: 1080, seconds: 3, mostMegabytes: 600 },
  { width: 3840, height: 2160, seconds: 2, mostMegabytes: 1600 },
];

/**
 * Peak memory of a worker and its ffmpeg while they encode one chunk of a ladder. The store is in the same process,
 * with a few megabytes of files.
 */
export async function measureMemory(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const source of sources) rows.push(await measureLadder(source));
  return rows;
}

async function measureLadder({ width, height, seconds, mostMegabytes }: (typeof sources)[number]): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-memory-'));
  const store = await startStore();
  try {
    const file = join(folder, 'source.mp4');
    await runOrThrow('ffmpeg', [
      ...['-f', 'lavfi', '-i', `testsrc2=s=${width}x${height}:r=30:d=${seconds},noise=alls=8:allf=t`],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '12M', '-pix_fmt', 'yuv420p', file],
    ]);
    const query = {
      version: 1,
      ladder: { codec: 'h264', max_height: height },
      outputs: [{ format: 'hls', segment_duration: 4 }],
    };
    const { result: measured, cpuSeconds } = await measureCpu(() =>
      measurePeakUse(() => runPlan(store, file, query), folder),
    );
    if ('error' in measured) throw measured.error;
    process.stderr.write(`${height}p ladder: ${cpuSeconds} CPU s for ${seconds} s\n`);
    return row({
      name: `memory of a worker and its ffmpeg, ladder of ${height}p`,
      ...{ value: measured.use.memoryBytes / 2 ** 20, unit: 'MiB', atMost: mostMegabytes },
    });
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}
