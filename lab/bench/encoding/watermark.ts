import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeVideo } from '../../../encoder-task/jobs/encode-video.ts';
import { chunkTracks, trackFiles } from '../../../functions/job-results/job-files.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import { readImageHeader } from '../../../shared/media/image-header.ts';
import type { Watermark } from '../../../shared/media/watermark.ts';
import { contextFor } from '../../../test/encoder-task/support/context.ts';
import { readIndex } from '../../../test/encoder-task/support/plan.ts';
import { probeFile } from '../../../test/encoder-task/support/run-jobs.ts';
import { startStore, type TestStore } from '../../../test/encoder-task/support/store.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { median, type Row, row } from '../row.ts';

const query = templateQuerySchema.parse({
  ladder: { codec: 'h264', max_height: 1080 },
  outputs: [{ format: 'hls' }],
});

/** CPU seconds of the encode of six seconds to all rungs of a ladder, with a watermark and without. */
export async function measureWatermark(repeats: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-watermark-'));
  const store = await startStore();
  try {
    const file = join(folder, 'source.mp4');
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=30:d=6,noise=alls=8:allf=t', '-pix_fmt', 'yuv420p'];
    await runOrThrow('ffmpeg', [...picture, '-c:v', 'libx264', '-preset', 'superfast', '-g', '60', file]);
    const logo = join(folder, 'logo.png');
    await runOrThrow('ffmpeg', ['-f', 'lavfi', '-i', 'testsrc2=s=400x200,format=rgba', '-frames:v', '1', logo]);
    const image = await readFile(logo);
    store.objects.set('watermark', image);
    const watermark: Watermark = {
      imageUlid: '01K9Z3P6M8N9P0Q1R2S3T4V5W6',
      image: readImageHeader(image)!,
      position: 'bottom-right',
      widthShare: 0.1,
      marginShare: 0.02,
      opacity: 0.8,
    };
    const [plain, marked]: [number[], number[]] = [[], []];
    for (let n = 0; n < repeats; n++) {
      plain.push(await cpuSecondsOf(store, file));
      marked.push(await cpuSecondsOf(store, file, watermark));
    }
    return [
      row({
        name: 'CPU seconds of a ladder with a watermark',
        unit: 's',
        value: median(marked),
        baseline: median(plain),
        ratioAtMost: 1.1,
      }),
    ];
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

async function cpuSecondsOf(store: TestStore, file: string, watermark?: Watermark): Promise<number> {
  const probe = await probeFile(store, file);
  const frames = readIndex(store.objects.get('index.json.gz')!);
  const plan = planVideo({ probe, frames, query, capacity: 0.01, ...(watermark && { watermark }) });
  let seconds = 0;
  for (const { grid, rungs, chunks } of plan.groups) {
    for (const chunk of chunks) {
      const tracks = chunkTracks({ index: 0, phase: 0, grid, rungs, chunks: [chunk] }, 0);
      const spec = { kind: 'encode-video' as const, source: plan.source!, grid, rungs, chunk };
      const context = await contextFor(store, spec, {
        inputs: ['source', ...(watermark ? ['watermark'] : [])],
        outputs: trackFiles(tracks),
      });
      try {
        seconds += (await encodeVideo(context)).cpuSeconds;
      } finally {
        await rm(context.folder, { recursive: true });
      }
    }
  }
  return seconds;
}
