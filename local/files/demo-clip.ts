import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SourceFile } from './source-files.ts';

/**
 * The colours of HD video, named in the file: players would guess those of a clip without tags. ffmpeg 7 takes them
 * from the pictures, older versions from the options of the output.
 */
const bt709 = {
  filter:
    'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,' +
    'setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv',
  tags: ['-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709', '-color_range', 'tv'],
};

/** Generates a clip of ten seconds with video and audio for `use`, and removes it afterwards. */
export async function withDemoClip<Result>(use: (clip: SourceFile) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-'));
  try {
    const path = join(folder, 'demo.mp4');
    await promisify(execFile)('ffmpeg', [
      ...['-nostdin', '-v', 'error'],
      ...['-f', 'lavfi', '-i', `testsrc2=size=1280x720:rate=30:duration=10,${bt709.filter}`],
      ...['-f', 'lavfi', '-i', 'sine=frequency=440:duration=10'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', ...bt709.tags, '-c:a', 'aac', path],
    ]);
    return await use({ path, name: 'demo.mp4', sizeBytes: (await stat(path)).size });
  } finally {
    await rm(folder, { recursive: true });
  }
}
