import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SourceFile } from './source-files.ts';

/** Generates a clip of ten seconds with video and audio for `use`, and removes it afterwards. */
export async function withDemoClip<Result>(use: (clip: SourceFile) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-'));
  try {
    const path = join(folder, 'demo.mp4');
    await promisify(execFile)('ffmpeg', [
      ...['-nostdin', '-v', 'error'],
      ...['-f', 'lavfi', '-i', 'testsrc2=size=1280x720:rate=30:duration=10'],
      ...['-f', 'lavfi', '-i', 'sine=frequency=440:duration=10'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', path],
    ]);
    return await use({ path, name: 'demo.mp4', sizeBytes: (await stat(path)).size });
  } finally {
    await rm(folder, { recursive: true });
  }
}
