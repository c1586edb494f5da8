import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPlan } from '../../../test/encoder-task/support/run-plan.ts';
import { startStore } from '../../../test/encoder-task/support/store.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { type Row, row } from '../row.ts';
import { keepSourceVideo } from './source-video.ts';

/** One small rendition with audio, poster and sprite: reads of the source do not depend on the outputs. */
const query = {
  version: 1,
  video: [{ name: 'v', codec: 'h264', height: 90, preset: 'ultrafast', gop: 2, crf: 40 }],
  audio: [{ name: 'a', codec: 'aac', bitrate: '64k', channels: 2 }],
  outputs: [{ format: 'hls', segment_duration: 6 }],
  thumbnails: { poster: { at: '10%', width: 320 }, sprite: { interval: 10, width: 160, columns: 5, rows: 5 } },
};

/** Bytes read from the store by all jobs of a video per byte of its source, an MP4 of two minutes and 180 MB. */
export async function measureSourceReads(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-source-reads-'));
  const store = await startStore();
  try {
    const file = join(folder, 'source.mp4');
    await runOrThrow('ffmpeg', ['-stream_loop', '1', '-i', await keepSourceVideo(), '-c', 'copy', file]);
    await runPlan(store, file, query);
    const { size } = await stat(file);
    return [
      row({
        name: 'bytes read of an MP4 by all jobs, each source byte being one',
        unit: 'MB',
        ratioAtMost: 1.3,
        value: store.sentBytes('source') / 1e6,
        baseline: size / 1e6,
      }),
    ];
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}
