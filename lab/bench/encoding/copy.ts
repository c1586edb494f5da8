import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeVideo } from '../../../encoder-task/jobs/encode-video.ts';
import { chunkTracks, trackFiles } from '../../../functions/job-results/job-files.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import type { EncodeVideoSpec, JobResult } from '../../../shared/protocol/jobs.ts';
import { contextFor } from '../../../test/encoder-task/support/context.ts';
import { readIndex } from '../../../test/encoder-task/support/plan.ts';
import { probeFile } from '../../../test/encoder-task/support/run-jobs.ts';
import { startStore, type TestStore } from '../../../test/encoder-task/support/store.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { median, type Row, row } from '../row.ts';
import { secondsOf } from '../stop-watch.ts';

const query = templateQuerySchema.parse({
  copy: 'auto',
  video: [{ name: 'v', codec: 'h264', height: 1080, bitrate: '5M' }],
  outputs: [{ format: 'hls' }],
});

/** Seconds and CPU seconds of the job that copies ten minutes of 1080p30 with GOPs of two seconds. */
export async function measureCopy(repeats: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-copy-'));
  const store = await startStore();
  try {
    const file = await makeSource(folder);
    const megabytes = Math.round((await stat(file)).size / 1e6);
    const spec = await copySpec(store, file);
    const seconds: number[] = [];
    const cpuSeconds: number[] = [];
    for (let n = 0; n < repeats; n++) {
      let result: JobResult<'encode-video'> | undefined;
      seconds.push(await secondsOf(async () => (result = await copy(store, spec))));
      if (!result?.tracks[0]?.copied) throw new Error('the video was encoded');
      cpuSeconds.push(result.cpuSeconds);
    }
    const name = `of the copy of 10 minutes of 1080p30, ${megabytes} MB`;
    return [
      row({ name: `seconds ${name}`, value: median(seconds), unit: 's', atMost: 2 }),
      row({ name: `CPU seconds ${name}`, value: median(cpuSeconds), unit: 's', atMost: 2 }),
    ];
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/** Twenty seconds are repeated, which takes less time to make and has the same structure. */
async function makeSource(folder: string): Promise<string> {
  const [part, file] = [join(folder, 'part.mp4'), join(folder, 'source.mp4')] as const;
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=30:d=20', '-pix_fmt', 'yuv420p'];
  const gops = ['-g', '60', '-keyint_min', '60', '-sc_threshold', '0', '-flags', '+cgop', '-bf', '2'];
  await runOrThrow('ffmpeg', [...picture, '-c:v', 'libx264', '-preset', 'superfast', '-b:v', '1500k', ...gops, part]);
  await runOrThrow('ffmpeg', ['-stream_loop', '29', '-i', part, '-c', 'copy', file]);
  return file;
}

async function copySpec(store: TestStore, file: string): Promise<EncodeVideoSpec> {
  const probe = await probeFile(store, file);
  const frames = readIndex(store.objects.get('index.json.gz')!);
  const { groups, source } = planVideo({ probe, frames, query, capacity: 1 });
  const [{ grid, rungs, chunks }] = groups as [(typeof groups)[number]];
  return { kind: 'encode-video', source: source!, grid, rungs, chunk: chunks[0]! };
}

async function copy(store: TestStore, spec: EncodeVideoSpec): Promise<JobResult<'encode-video'>> {
  const { grid, rungs, chunk } = spec;
  const tracks = chunkTracks({ index: 0, phase: 0, grid, rungs, chunks: [chunk] }, 0);
  const context = await contextFor(store, spec, { inputs: ['source'], outputs: trackFiles(tracks) });
  try {
    return await encodeVideo(context);
  } finally {
    await rm(context.folder, { recursive: true });
  }
}
