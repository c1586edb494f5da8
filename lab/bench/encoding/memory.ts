import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureCpu } from '../../../encoder-task/runtime/child-cpu.ts';
import { neededMib } from '../../../functions/queue/node-memory.ts';
import type { VideoCodec } from '../../../shared/media/codecs.ts';
import { measurePeakUse } from '../../../test/encoder-task/support/peak-use.ts';
import { runPlan } from '../../../test/encoder-task/support/run-plan.ts';
import { startStore } from '../../../test/encoder-task/support/store.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import type { LadderChoice } from '../ladder/ladder.ts';
import { type Row, row } from '../row.ts';

/** Sources with motion and noise, and the largest rung of the ladder that is encoded of each. */
const cases = [
  { width: 1920, height: 1080, seconds: 3, ladder: 1080 },
  { width: 3840, height: 2160, seconds: 2, ladder: 1080 },
  { width: 3840, height: 2160, seconds: 2, ladder: 2160 },
];

/**
 * Peak memory of a worker and its ffmpeg while they encode one chunk of a ladder, against what the queue takes as
 * necessary for it. The store is in the same process, with a few megabytes of files.
 */
export async function measureMemory(_: number, { codec }: LadderChoice): Promise<Row[]> {
  const rows: Row[] = [];
  for (const each of cases) rows.push(await measureLadder(codec, each));
  return rows;
}

async function measureLadder(codec: VideoCodec, { width, height, seconds, ladder }: (typeof cases)[number]) {
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
      ladder: { codec, max_height: ladder, max_renditions: 6 },
      outputs: [{ format: 'hls', segment_duration: 4 }],
    };
    const { result: measured, cpuSeconds } = await measureCpu(() =>
      measurePeakUse(() => runPlan(store, file, query), folder),
    );
    if (!measured.result) throw measured.error;
    const { groups, source } = measured.result.plan;
    process.stderr.write(`${codec}, ${ladder}p ladder: ${cpuSeconds} CPU s for ${seconds} s\n`);
    return row({
      name: `memory of a worker and its ffmpeg, ${codec}, ${height}p to ${ladder}p`,
      value: measured.use.memoryBytes / 2 ** 20,
      unit: 'MiB',
      atMost: Math.max(...groups.map(({ rungs }) => neededMib(rungs, source!))),
    });
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}
